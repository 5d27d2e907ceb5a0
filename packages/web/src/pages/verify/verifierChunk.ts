// Verifies a file or a fingerprint, and reads manifests inside files. A module of its own, because the verifier is large
// and loads on demand.

import {
  type EmbeddedManifest,
  type FileVerification,
  type LookupQuestion,
  type RegistryClient,
  readEmbeddedManifest,
  verifyFile,
} from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import { type OwnSources, toVerifyOptions } from './ownSources.js';

export interface VerificationSubject {
  readonly fingerprint: Fingerprint;
  /** Undefined when only the fingerprint is known. */
  readonly content: File | undefined;
  /** What the service is sent to look the file up. */
  readonly lookup: LookupQuestion['kind'];
}

export function verifySubject(
  client: RegistryClient,
  { lookup, ...file }: VerificationSubject,
  own: OwnSources,
  signal: AbortSignal,
): Promise<FileVerification> {
  return verifyFile(file, { client, lookup, ...toVerifyOptions(own), signal });
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
