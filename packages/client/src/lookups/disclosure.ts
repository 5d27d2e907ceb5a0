// What the service learns from a lookup.

/**
 * What the service was told to look a file up.
 *
 * `prefix`: the first digits of its fingerprint, and nothing else as long as `fingerprintDisclosed` is false. Once the
 * service has the file, its record is read by the fingerprint. `fingerprint`: the whole fingerprint.
 * @example
 * ```ts
 * const isPrivate = ({ fingerprintDisclosed }: Disclosure) => !fingerprintDisclosed;
 * ```
 */
export interface Disclosure {
  readonly lookupBy: 'prefix' | 'fingerprint';
  /** Whether the service learned which file was looked up. */
  readonly fingerprintDisclosed: boolean;
  /** The digits that were sent, without `0x`; absent when the whole fingerprint was sent. */
  readonly prefix?: string;
}

/** Keeps what the service has learned so far. */
export class DisclosureLog {
  /** Whether the result of the last lookup by prefix covers the chain. */
  isChainKnown = false;
  /** Undefined until the first request. */
  disclosure: Disclosure | undefined;

  constructor(readonly lookupBy: Disclosure['lookupBy'] = 'prefix') {}

  recordPrefix(prefix: string, isChainKnown: boolean): void {
    const { fingerprintDisclosed = false } = this.disclosure ?? {};
    this.disclosure = { lookupBy: this.lookupBy, fingerprintDisclosed, prefix };
    this.isChainKnown = isChainKnown;
  }

  /** Call this before the service is sent anything that tells which file it is. */
  recordFingerprint(): void {
    this.disclosure = { lookupBy: this.lookupBy, ...this.disclosure, fingerprintDisclosed: true };
  }
}
