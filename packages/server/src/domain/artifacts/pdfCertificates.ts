// Certificates: signed documents of what is known about a registration, made when they are asked for.

import { type Artifact, type Fingerprint, RegistryError } from '@provenance-registry/core';
import type { CertificateFacts, ManifestSignature, Ports } from '../ports/index.js';
import { readArtifact } from './artifacts.js';

/** Shows every caller what the public may see: a certificate is made to be passed on. */
export async function issueCertificate(ports: Ports, fingerprint: Fingerprint): Promise<Uint8Array> {
  const artifact = await readArtifact(ports, undefined, fingerprint);
  if (artifact.status === 'failed')
    throw new RegistryError('NOT_FOUND', 'The registration of this fingerprint failed.');
  const [manifest, registration] = await Promise.all([
    readManifestSignature(ports, artifact),
    readRegistration(ports, artifact),
  ]);
  return ports.certificates.issue({ artifact, manifest, registration, issuedAt: ports.clock() });
}

async function readManifestSignature(
  { files, manifests }: Ports,
  { id }: Artifact,
): Promise<ManifestSignature | undefined> {
  const sidecar = await files.read(`${id}.c2pa`);
  try {
    return sidecar && manifests.readSignature(sidecar);
  } catch {
    // A manifest of another form: the document says that it could not be read.
    return undefined;
  }
}

async function readRegistration(
  { chain }: Ports,
  { fingerprint, transactionHash }: Artifact,
): Promise<CertificateFacts['registration']> {
  return isHex(transactionHash) ? chain.registrations.read(fingerprint, transactionHash) : undefined;
}

function isHex(text: string | null): text is `0x${string}` {
  return text?.startsWith('0x') === true;
}
