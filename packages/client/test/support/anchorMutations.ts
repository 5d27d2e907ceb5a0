// Mutations of the anchor in a bundle, and forgeries of it whose hashes agree.

import type { Hex } from 'viem';
import type { Bundle } from '../../src/index.js';
import { forgeHeader, forgeReceipt } from './forgedProofs.js';
import { pick, type Random } from './seededChoices.js';

type Log = NonNullable<Bundle['log']>;
type Anchor = NonNullable<Log['anchor']>;
type Change = (anchor: Anchor, random: Random, other: Anchor | undefined) => void;

/** All hashes of the block are computed again. */
function forgeEvent(anchor: Anchor, from: string, to: string): void {
  const receipt = anchor.proof.receipt.replace(from, to);
  anchor.proof = forgeReceipt(anchor.proof, `0x${receipt.slice(2)}`);
}

const word = (size: number) => size.toString(16).padStart(64, '0');
const changeSize = ({ size }: Anchor, random: Random) => Math.max(1, size + pick(random, [-1, 1, 2, 250]));

const changes: readonly Change[] = [
  (anchor, _, other) => Object.assign(anchor, structuredClone(other)),
  (anchor, _, other) => Object.assign(anchor, { hashes: structuredClone(other?.hashes ?? []) }),
  (anchor, random) => {
    anchor.hashes.splice(Math.floor(random() * (anchor.hashes.length + 1)), Math.floor(random() * 2));
  },
  (anchor, random) => {
    anchor.hashes = anchor.hashes.map((hash) => (random() < 0.5 ? hash : mutateHash(hash, random)));
  },
  (anchor, random) => {
    anchor.size = changeSize(anchor, random);
  },
  (anchor, random) => {
    const size = changeSize(anchor, random);
    forgeEvent(anchor, word(anchor.size), word(size));
    if (random() < 0.5) anchor.size = size;
  },
  (anchor, random) => {
    forgeEvent(anchor, anchor.address.slice(2), 'ab'.repeat(20));
    if (random() < 0.5) anchor.address = `0x${'ab'.repeat(20)}`;
  },
  (anchor, random) => {
    const field = pick(random, ['number', 'timestamp', 'extraData'] as const);
    const value = pick(random, ['0x', '0x01', '0x6a9d4dc0', '0x3afff4417f'] as const);
    anchor.proof = forgeHeader(anchor.proof, field, value);
  },
];

/** Of another tree, contract, size or block, with or without hashes that agree. Bundles without an anchor stay as they are. */
export function mutateAnchor({ log }: Bundle, { log: other }: Bundle, random: Random): void {
  if (!log?.anchor) return;
  if (random() < 1 / (changes.length + 1)) delete log.anchor;
  else pick(random, changes)(log.anchor, random, other?.anchor);
}

function mutateHash(hash: Hex, random: Random): Hex {
  const bytes = Buffer.from(hash.slice(2), 'hex');
  bytes.writeUInt8(bytes.readUInt8(7) ^ (1 << Math.floor(random() * 8)), 7);
  return `0x${bytes.toString('hex')}`;
}
