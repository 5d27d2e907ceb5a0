// What a signed copy must be like when it is read back, as its recipients will read it.

import { type Fingerprint, fingerprintOf, RegistryError } from '@provenance-registry/core';
import type { EmbedRequest } from '../../domain/ports/index.js';
import { findFileFault, requireIdentity, type ValidationResults } from '../manifest/report.js';

export interface SignedCopyReader {
  /** Reads it as every uploaded file is read. Undefined if no manifest can be read in it. */
  readCopy(copy: {
    readonly mediaType: string;
    readonly bytes: Uint8Array;
    readonly signedStore: Uint8Array;
  }): Promise<ReadCopy | undefined>;
}

export interface ReadCopy {
  readonly validationResults: ValidationResults;
  /** Set if the copy is intact and signed by this service: the original that it is bound to. */
  readonly ownFingerprint?: Fingerprint;
}

/**
 * Throws unless the copy is recognized as that of this image. BAD_REQUEST if that is because of the image: it can be
 * registered, but not signed.
 */
export function requireIntact(
  copy: ReadCopy | undefined,
  label: string,
  { fingerprint, identity }: Pick<EmbedRequest, 'fingerprint' | 'identity'>,
): void {
  if (copy?.ownFingerprint === fingerprintOf(fingerprint)) {
    if (identity) requireIdentity({ active_manifest: label, validation_results: copy.validationResults });
    return;
  }
  const fault = copy ? findFileFault(copy.validationResults) : 'no manifest found';
  if (fault === undefined) throw new Error('a signed copy is not recognized, although it is intact');
  throw new RegistryError('BAD_REQUEST', `No reader would find a manifest in this image intact (${fault}).`);
}
