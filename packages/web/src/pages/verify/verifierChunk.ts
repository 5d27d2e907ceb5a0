// Verifies a file or a fingerprint, and reads manifests inside files. A module of its own, because the verifier is large
// and loads on demand.

import {
  type EmbeddedManifest,
  type HashedFile,
  type RegistryClient,
  readEmbeddedManifest,
  type Verification,
  type VerifyOptions,
  verify,
} from '@provenance-registry/client';
import { type OwnSources, toVerifyOptions } from './ownSources.js';

export type VerificationSubject = HashedFile & Pick<VerifyOptions, 'lookupBy'>;

export function verifySubject(
  client: RegistryClient,
  { lookupBy, ...file }: VerificationSubject,
  own: OwnSources,
  signal: AbortSignal,
): Promise<Verification> {
  return verify(file, { client, lookupBy, ...toVerifyOptions(own), signal });
}

export function readEmbedded(
  client: RegistryClient,
  content: File,
  own: OwnSources,
  signal: AbortSignal,
): Promise<EmbeddedManifest | undefined> {
  const { trustAnchorsPem } = toVerifyOptions(own);
  return readEmbeddedManifest(content, { client, trustAnchorsPem, signal });
}
