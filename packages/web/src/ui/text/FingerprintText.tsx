// A shortened fingerprint with a button that copies all of it.

import type { Fingerprint } from '@provenance-registry/core';
import * as texts from '#texts/site/ui';
import { CopyButton } from './CopyButton.js';
import * as styles from './FingerprintText.module.css';

/** Digits shown at either end: together enough to tell billions of files apart. */
const SHOWN_DIGITS = 8;

export function FingerprintText({ fingerprint, hasCopy = true }: { fingerprint: Fingerprint; hasCopy?: boolean }) {
  return (
    <span className={styles.fingerprint}>
      <ShortFingerprint fingerprint={fingerprint} />
      {hasCopy && <CopyButton text={fingerprint} what={texts.fingerprint} />}
    </span>
  );
}

/** Shows the fingerprint in full on paper. */
export function ShortFingerprint({ fingerprint }: { readonly fingerprint: Fingerprint }) {
  return (
    <code title={fingerprint} data-full={fingerprint}>
      <span>{shortenFingerprint(fingerprint)}</span>
    </code>
  );
}

export function shortenFingerprint(fingerprint: Fingerprint): string {
  return `${fingerprint.slice(0, 2 + SHOWN_DIGITS)}…${fingerprint.slice(-SHOWN_DIGITS)}`;
}
