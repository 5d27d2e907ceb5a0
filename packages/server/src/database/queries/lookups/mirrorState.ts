// What lookups read of the mirror besides its entries, as parts of statements.

import { type ChainEntry, MIRROR_FRESH_MS, MIRROR_MAX_BLOCKS_BEHIND } from '../../../domain/ports/index.js';

/** Condition on a row of `chain_mirror`: whether it stands for the chain. An empty column: it is not complete. */
export const IS_FRESH = `coalesce(
  checked_at > now() - interval '${MIRROR_FRESH_MS} milliseconds' and head_block - mirrored_block <= ${MIRROR_MAX_BLOCKS_BEHIND}, false
)`;

/** True if the mirror was compared with the chain a short time ago; false without a row. */
export const IS_CHAIN_KNOWN = `coalesce((select ${IS_FRESH} from chain_mirror), false)`;

/** Endpoints of all curated entries. */
export const CURATED_ENDPOINTS =
  '(select endpoints from chain_endpoints order by block_number desc, log_index desc limit 1)';

export function sourceName(source: number): ChainEntry['source'] {
  return source === 1 ? 'curated' : 'public';
}
