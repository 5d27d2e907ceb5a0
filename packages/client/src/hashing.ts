// The types shared by hashing in Node and in browsers.

import type { Fingerprint } from '@provenance-registry/core';

/**
 * How much of a file has been hashed. `total` is undefined for streams.
 * @example
 * ```ts
 * const onProgress = ({ bytes, total }: HashProgress) => console.log(`${bytes} of ${total ?? '?'} bytes`);
 * ```
 */
export interface HashProgress {
  readonly bytes: number;
  readonly total?: number | undefined;
}

/**
 * Options of the hashing functions.
 * @example
 * ```ts
 * const options: HashOptions = { signal: AbortSignal.timeout(60_000) };
 * ```
 */
export interface HashOptions {
  readonly onProgress?: ((progress: HashProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A file's fingerprint and its size in bytes.
 * @example
 * ```ts
 * const { fingerprint, size }: HashResult = await hashFile('sunrise.jpg');
 * ```
 */
export interface HashResult {
  readonly fingerprint: Fingerprint;
  readonly size: number;
}
