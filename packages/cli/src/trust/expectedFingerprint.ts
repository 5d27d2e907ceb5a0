// Fingerprints of registries as people type them.

import { SHORT_FINGERPRINT_DIGITS } from '@provenance-registry/core';
import { UsageError } from '../errors.js';

const FULL_DIGITS = 64;

/** The hex digits of a typed fingerprint, in its short or full form. Throws UsageError for anything else. */
export function parseExpectedFingerprint(typed: string): string {
  const digits = typed.replaceAll(/[\s:]/g, '').replace(/^0x/i, '').toLowerCase();
  if (!/^[0-9a-f]*$/.test(digits)) throw new UsageError(`'${typed}' is not a fingerprint.`);
  if (digits.length < SHORT_FINGERPRINT_DIGITS) {
    throw new UsageError(
      `A fingerprint has at least ${SHORT_FINGERPRINT_DIGITS} digits, not ${digits.length}: fewer could be imitated.`,
    );
  }
  if (digits.length > FULL_DIGITS) {
    throw new UsageError(`A fingerprint has at most ${FULL_DIGITS} digits, not ${digits.length}.`);
  }
  return digits;
}
