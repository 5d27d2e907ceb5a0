// What lookups read of the mirror besides its entries, as parts of statements.

import type { ChainEntry } from '../../domain/ports/index.js';

/** How long after the node was last read, and how many blocks behind it, the mirror still stands for the chain. */
const MAX_MIRROR_AGE = '30 s';
const MAX_BLOCKS_BEHIND = 2;

/** No row, or an empty column: the mirror is not complete. */
export const IS_CHAIN_KNOWN = `coalesce((
  select checked_at > now() - interval '${MAX_MIRROR_AGE}' and head_block - mirrored_block <= ${MAX_BLOCKS_BEHIND}
  from chain_mirror
), false)`;

/** Of all curated entries. */
export const CURATED_ENDPOINTS =
  '(select endpoints from chain_endpoints order by block_number desc, log_index desc limit 1)';

export function sourceName(source: number): ChainEntry['source'] {
  return source === 1 ? 'curated' : 'public';
}
