// The schemas of fingerprints. Apart from their functions, so that pages which validate nothing load no schema library.

import Type from 'typebox';
import { type Fingerprint, fingerprintPattern } from './fingerprints.js';

export const FingerprintText = (description: string) =>
  Type.Unsafe<Fingerprint>({ type: 'string', pattern: fingerprintPattern, description });

/** The fingerprint of a file to register: 32 zero bytes stand for nothing, on chain too. */
export const FileFingerprint = (description: string) =>
  Type.Unsafe<Fingerprint>({
    type: 'string',
    pattern: fingerprintPattern,
    format: 'file-fingerprint',
    description,
  });
