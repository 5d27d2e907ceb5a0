// Makes the files of an Artifact: the signed sidecar, the report about it, and the signed card.

import { randomUUID } from 'node:crypto';
import {
  ALGORITHMIC_MEDIA,
  createdAction,
  dataHash,
  openedAction,
  type PreviousVersion,
  type StatedFacts,
  softBinding,
  statements,
} from './assertions.js';
import { drawCard } from './card.js';
import { buildManifestStore, type Signing } from './manifest.js';
import { signPng } from './png.js';
import type { ManifestReader } from './reader.js';
import { sidecarReport } from './report.js';

export interface ManifestRequest {
  /** Names the manifest: `urn:c2pa:<artifactId>`. */
  readonly artifactId: string;
  readonly fingerprint: Uint8Array;
  /** The SHA-256 of the bytes, if the service held them. */
  readonly digest?: Uint8Array;
  readonly title?: string;
  readonly digitalSourceType?: string;
  readonly facts: StatedFacts;
  readonly previous?: PreviousVersion;
}

export interface ArtifactFiles {
  readonly sidecar: Buffer;
  readonly report: Buffer;
  readonly card: Buffer;
}

export interface ManifestEngine {
  create(request: ManifestRequest): Promise<ArtifactFiles>;
}

export function createManifestEngine(signing: Signing, reader: ManifestReader): ManifestEngine {
  return {
    async create(request) {
      const [sidecar, card] = await Promise.all([
        buildSidecar(request, signing),
        signCard(request.fingerprint, signing),
      ]);
      const read = await reader.read('application/c2pa', sidecar);
      const report = Buffer.from(JSON.stringify(sidecarReport(read, sidecar, request.digest)));
      return { sidecar, report, card };
    },
  };
}

function buildSidecar(request: ManifestRequest, signing: Signing): Promise<Buffer> {
  const { fingerprint, previous } = request;
  const history = previous
    ? openedAction(previous)
    : { parts: [createdAction(request.digitalSourceType)], manifests: [] };
  return buildManifestStore(
    {
      label: `urn:c2pa:${request.artifactId}`,
      title: request.title,
      assertions: [...history.parts, dataHash(fingerprint), softBinding(fingerprint), ...statements(request.facts)],
      ingredientManifests: history.manifests,
    },
    signing,
  );
}

/** The card is the service's own work, made by a program. */
function signCard(fingerprint: Uint8Array, signing: Signing): Promise<Buffer> {
  return signPng(
    drawCard(`0x${Buffer.from(fingerprint).toString('hex')}`),
    {
      label: `urn:c2pa:${randomUUID()}`,
      title: 'Fingerprint card',
      assertions: [createdAction(ALGORITHMIC_MEDIA), softBinding(fingerprint)],
    },
    signing,
  );
}
