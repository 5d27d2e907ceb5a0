// The manifest of a new Artifact: what it states, and the files that are published with it.

import { digestOf, type Fingerprint, type Mark, RegistryError } from '@provenance-registry/core';
import type { Caller } from './caller.js';
import type { CreationRequest } from './creationRequest.js';
import type { ManifestClaims, Ports, PreviousVersion } from './ports/index.js';

/** The files to publish, by name. */
export async function createManifestFiles(
  ports: Ports,
  caller: Caller,
  request: CreationRequest,
  mark: Mark,
  artifactId: string,
): Promise<Record<string, Uint8Array>> {
  const { fingerprint, file, previousFingerprint } = request;
  const previous = await readPreviousVersion(ports, previousFingerprint);
  const { sidecar, report, card } = await ports.manifests.create({
    artifactId,
    fingerprint: digestOf(fingerprint),
    ...(file && { digest: file.digest }),
    ...manifestClaims(request.filename, mark, caller),
    ...(previous && { previous }),
  });
  return { [`${artifactId}.c2pa`]: sidecar, [`${artifactId}.json`]: report, [`${artifactId}.png`]: card };
}

/** Under a private Mark, published files reveal neither author, Mark, filename nor license. */
export function manifestClaims(
  filename: string,
  mark: Mark,
  { user }: Caller,
): { claims: ManifestClaims; title?: string } {
  if (mark.visibility === 'private') return { claims: { allowAiTraining: null } };
  const claims = {
    allowAiTraining: mark.allowAiTraining,
    author: { name: user.name },
    mark: { id: mark.id, name: mark.name },
    licenseKey: mark.licenseKey,
  };
  return { claims, title: filename };
}

async function readPreviousVersion(
  { store, files }: Ports,
  fingerprint: Fingerprint | undefined,
): Promise<PreviousVersion | undefined> {
  if (fingerprint === undefined) return undefined;
  const artifact = await store.artifacts.find(fingerprint);
  if (!artifact || artifact.status === 'failed') {
    throw new RegistryError('BAD_REQUEST', 'previousFingerprint belongs to no Artifact.');
  }
  const sidecar = await files.read(`${artifact.id}.c2pa`);
  if (!sidecar) throw new RegistryError('UNAVAILABLE', 'The previous manifest cannot be read right now.');
  return { sidecar };
}
