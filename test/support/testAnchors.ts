// Anchors of a test's log in blocks that no chain has: proofs that are consistent in themselves, as the chain of an honest registry or a
// forger would have them.

import { encodeEventTopics, type Hex, keccak256, numberToHex, pad, parseAbiItem, toHex, toRlp } from 'viem';
import type { Bundle } from '../../packages/client/src/index.js';
import type { TestLog } from './testLog.js';

export type AnchorProof = NonNullable<NonNullable<Bundle['log']>['anchor']>;

/** What the event says, and where. */
export interface AnchorEvent {
  readonly address: Hex;
  readonly size: number;
  readonly root: Hex;
  /** In seconds since 1970. */
  readonly time?: number;
}

export const ANCHOR_TIME = 1_794_917_000;
export const LOG_CONTRACT: Hex = `0x${'a1'.repeat(20)}`;
export const TEST_CHAIN = 31_337;

const anchored = parseAbiItem('event Anchored(uint64 indexed size, bytes32 root)');
const BLOOM: Hex = `0x${'00'.repeat(256)}`;
const HASH: Hex = `0x${'11'.repeat(32)}`;

/** The block of one transaction with this event. */
export function makeAnchorBlock({ address, size, root, time = ANCHOR_TIME }: AnchorEvent): AnchorProof['proof'] {
  const [topic = HASH] = encodeEventTopics({ abi: [anchored] });
  const event = [address, [topic, pad(toHex(size), { size: 32 })], root] as const;
  const receipt: Hex = `0x02${toRlp(['0x01', '0x5208', BLOOM, [[event[0], [...event[1]], event[2]]]]).slice(2)}`;
  // The path of transaction 0: an even number of digits, and the leaf.
  const leaf = toRlp(['0x2080', receipt]);
  const roots = [HASH, HASH, address, HASH, HASH, keccak256(leaf), BLOOM];
  const numbers = ['0x', numberToHex(0x2a), '0x5208', '0x5208', numberToHex(time)] as const;
  return { header: toRlp([...roots, ...numbers, '0x', HASH, '0x']), transactionIndex: 0, receipt, nodes: [leaf] };
}

/** The anchor of the whole log as it is now, which has the leaf of that index. */
export async function anchorLog(log: TestLog, index: number, change: Partial<AnchorEvent> = {}): Promise<AnchorProof> {
  const { size, root, hashes } = await log.proveLeaf(index);
  const event = { address: LOG_CONTRACT, size, root: toHex(root), ...change };
  return {
    chainId: TEST_CHAIN,
    address: event.address,
    size: event.size,
    hashes: hashes.map((hash) => toHex(hash)),
    proof: makeAnchorBlock(event),
  };
}
