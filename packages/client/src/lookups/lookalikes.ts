// Searches for registered files that look or sound like one, by perceptual hashes alone.

import { type Fingerprint, type Lookalike, MAX_QUERY_BYTES } from '@provenance-registry/core';
import type { RegistryClient } from '../client.js';
import type { MissingHashReason, PerceptualHashes } from './perceptualHashes.js';

/**
 * The result of a search for look-alikes, the closest first. A look-alike is a hint, never a proof.
 * @example
 * ```ts
 * const others = ({ lookalikes }: LookalikeSearch) => lookalikes.filter(({ isSameFile }) => !isSameFile);
 * ```
 */
export interface LookalikeSearch {
  /** What the service was sent. */
  readonly sent: 'perceptualHashes' | 'file' | 'nothing';
  /** `isSameFile`: it is registered with this very fingerprint. */
  readonly lookalikes: readonly (Lookalike & { readonly isSameFile: boolean })[];
  /** Why nothing was compared. */
  readonly missing?: MissingHashReason;
}

/**
 * Options of {@link searchLookalikes}.
 * @example
 * ```ts
 * const options: LookalikeSearchOptions = { maxDistance: 4, limit: 50 };
 * ```
 */
export interface LookalikeSearchOptions {
  /** Bits of 64 that may differ, 8 by default. */
  readonly maxDistance?: number | undefined;
  /** The most look-alikes to list, 10 by default. */
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Searches for look-alikes of a file with its perceptual hashes, which are sent instead of the file. Sends nothing when
 * there are none to search with. With `content`, the file itself is sent, which the service does not store.
 * @example
 * ```ts
 * const hashes = await computePerceptualHashes('copy.jpg', { forSearch: true });
 * const { lookalikes } = await searchLookalikes(client, { fingerprint, hashes });
 * for (const { grade, mark } of lookalikes) console.log(`looks like a file of ${mark?.name}: ${grade}`);
 * ```
 */
export async function searchLookalikes(
  client: Pick<RegistryClient, 'findLookalikes'>,
  file: { readonly fingerprint: Fingerprint } & ({ readonly hashes: PerceptualHashes } | { readonly content: Blob }),
  { signal, ...limits }: LookalikeSearchOptions = {},
): Promise<LookalikeSearch> {
  const toSearch = (sent: LookalikeSearch['sent'], found: readonly Lookalike[]): LookalikeSearch => ({
    sent,
    lookalikes: found.map((one) => ({ ...one, isSameFile: one.fingerprint === file.fingerprint })),
  });
  if ('content' in file) {
    if (file.content.size > MAX_QUERY_BYTES) return { ...toSearch('nothing', []), missing: 'too-large' };
    const compared = await client.findLookalikes({ file: file.content, ...limits }, { signal });
    const isComparable = compared.codes.length > 0 || compared.chromaprint !== undefined;
    return { ...toSearch('file', compared.lookalikes), ...(!isComparable && { missing: 'featureless' }) };
  }
  const { queryHashes, chromaprint, missing = 'unreadable' } = file.hashes;
  if (!queryHashes && chromaprint === undefined) return { ...toSearch('nothing', []), missing };
  const codes = queryHashes && [...queryHashes];
  const { lookalikes } = await client.findLookalikes({ codes, chromaprint, ...limits }, { signal });
  return toSearch('perceptualHashes', lookalikes);
}
