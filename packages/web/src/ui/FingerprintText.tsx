// A fingerprint among other text: its beginning and its end, and all of it for whoever copies it.

import type { Fingerprint } from '@provenance-registry/core';
import { CopyButton } from './CopyButton.js';

/** As many digits at either end as nobody finds a second file for by chance among billions. */
const SHOWN = 8;

interface FingerprintTextProps {
  readonly fingerprint: Fingerprint;
  /** Not where many stand in a list. */
  readonly hasCopy?: boolean | undefined;
}

export function FingerprintText({ fingerprint, hasCopy = true }: FingerprintTextProps) {
  return (
    <span className="fingerprint">
      <code title={fingerprint}>{shortened(fingerprint)}</code>
      {hasCopy && <CopyButton text={fingerprint} what="the fingerprint" />}
    </span>
  );
}

export function shortened(fingerprint: Fingerprint): string {
  return `${fingerprint.slice(0, 2 + SHOWN)}…${fingerprint.slice(-SHOWN)}`;
}
