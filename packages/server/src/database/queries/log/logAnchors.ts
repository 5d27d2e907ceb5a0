// Queries about the anchors of the public log that are confirmed on chain.

import type { LogAnchor, LogAnchors, LogContract } from '../../../domain/ports/index.js';
import { bytes, hex } from '../../bytes.js';
import { Queries } from '../queries.js';

export class LogAnchorQueries extends Queries implements LogAnchors {
  readLast(contract: LogContract): Promise<LogAnchor | undefined> {
    return this.#find(contract, 0, 'desc');
  }

  findCovering(contract: LogContract, index: number): Promise<LogAnchor | undefined> {
    return this.#find(contract, index, 'asc');
  }

  /** The first one, in that order of sizes, of those with more leaves. */
  async #find(
    { chainId, address }: LogContract,
    leaves: number,
    order: 'asc' | 'desc',
  ): Promise<LogAnchor | undefined> {
    const row = await this.database
      .selectFrom('log_anchors')
      .selectAll()
      .where('chain_id', '=', String(chainId))
      .where('contract', '=', bytes(address))
      .where('size', '>', String(leaves))
      .orderBy('size', order)
      .limit(1)
      .executeTakeFirst();
    return (
      row && {
        size: Number(row.size),
        root: row.root,
        transactionHash: hex(row.transaction_hash),
        blockNumber: BigInt(row.block_number),
        blockHash: hex(row.block_hash),
        blockTime: row.block_time,
      }
    );
  }

  async save(contract: LogContract, anchors: readonly LogAnchor[]): Promise<void> {
    if (anchors.length === 0) return;
    const rows = anchors.map((anchor) => ({
      chain_id: String(contract.chainId),
      contract: bytes(contract.address),
      size: String(anchor.size),
      root: Buffer.from(anchor.root),
      transaction_hash: bytes(anchor.transactionHash),
      block_number: String(anchor.blockNumber),
      block_hash: bytes(anchor.blockHash),
      block_time: anchor.blockTime,
    }));
    await this.database
      .insertInto('log_anchors')
      .values(rows)
      // A reorganization may have moved the transaction to another block.
      .onConflict((conflict) =>
        conflict.columns(['chain_id', 'contract', 'size']).doUpdateSet((set) => ({
          root: set.ref('excluded.root'),
          transaction_hash: set.ref('excluded.transaction_hash'),
          block_number: set.ref('excluded.block_number'),
          block_hash: set.ref('excluded.block_hash'),
          block_time: set.ref('excluded.block_time'),
        })),
      )
      .execute();
  }
}
