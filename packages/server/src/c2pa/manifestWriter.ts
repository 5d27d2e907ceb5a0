// Creates the files of an Artifact: the signed sidecar, the report about it and the signed card.

import { randomUUID } from 'node:crypto';
import type { ManifestRequest, Manifests } from '../domain/ports/index.js';
import {
  createdActionAssertion,
  dataHashAssertion,
  gatheredAssertions,
  openedActionAssertions,
  softBindingAssertion,
} from './assertions.js';
import { childrenOf, superbox } from './jumbf.js';
import type { ManifestReader } from './manifestReader.js';
import { buildManifestStore, type Signing } from './manifestStore.js';
import { signPng } from './png.js';
import { readStatements } from './report.js';

export function createManifestWriter(signing: Signing, reader: ManifestReader): Manifests {
  return {
    activeOnly: (sidecar) => superbox('c2pa', 'c2pa', childrenOf(Buffer.from(sidecar)).at(-1) ?? Buffer.alloc(0)),
    readStatements,
    async create(request) {
      const { fingerprint, digest } = request;
      const sidecar = await buildSidecar(request, signing);
      const { report, picture } = await reader.create(request.client, { sidecar, digest, fingerprint });
      return { sidecar, report: Buffer.from(report), card: await signCard(picture, fingerprint, signing) };
    },
  };
}

function buildSidecar(request: ManifestRequest, signing: Signing): Promise<Buffer> {
  const { fingerprint, previous } = request;
  const history = previous
    ? openedActionAssertions(previous)
    : { assertions: [createdActionAssertion(request.digitalSourceType)], manifests: [] };
  return buildManifestStore(
    {
      label: `urn:c2pa:${request.artifactId}`,
      title: request.title,
      assertions: [
        ...history.assertions,
        dataHashAssertion(fingerprint),
        softBindingAssertion(fingerprint),
        ...gatheredAssertions(request.claims),
      ],
      ingredientManifests: history.manifests,
    },
    signing,
  );
}

/** The card is created by the service itself, by a program. */
export function signCard(png: Uint8Array, fingerprint: Uint8Array, signing: Signing): Promise<Buffer> {
  return signPng(
    png,
    {
      label: `urn:c2pa:${randomUUID()}`,
      title: 'Fingerprint card',
      assertions: [createdActionAssertion('algorithmicMedia'), softBindingAssertion(fingerprint)],
    },
    signing,
  );
}
