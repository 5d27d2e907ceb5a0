// Proofs that are consistent in themselves, of blocks that no chain has: as a maker of bundles with skill would forge them.

import { fromRlp, type Hex, keccak256, toRlp } from 'viem';
import type { Bundle } from '../../src/index.js';

export type ChainProof = NonNullable<Bundle['chain']>;
export type ReceiptProof = ChainProof['proof'];

const HEADER_FIELDS = { number: 8, timestamp: 11, extraData: 12 } as const;

/** Another number, time or remark in the header of the block. */
export function forgeHeader(proof: ReceiptProof, field: keyof typeof HEADER_FIELDS, value: Hex): ReceiptProof {
  const fields = fromRlp(proof.header);
  if (!Array.isArray(fields)) throw new Error('not a header');
  return { ...proof, header: toRlp(fields.with(HEADER_FIELDS[field], value)) };
}

/** Another receipt, with all hashes above it computed again. */
export function forgeReceipt(proof: ReceiptProof, receipt: Hex): ReceiptProof {
  const oldLeaf = proof.nodes.at(-1) ?? '0x';
  const [path] = fromRlp(oldLeaf);
  if (typeof path !== 'string') throw new Error('not a leaf');
  let [oldHash, newHash] = [keccak256(oldLeaf), keccak256(toRlp([path as Hex, receipt]))];
  const nodes = [toRlp([path as Hex, receipt])];
  for (const node of proof.nodes.slice(0, -1).toReversed()) {
    const forged = replaceHash(node, oldHash, newHash);
    [oldHash, newHash] = [keccak256(node), keccak256(forged)];
    nodes.unshift(forged);
  }
  return { ...proof, receipt, nodes, header: replaceHash(proof.header, oldHash, newHash) };
}

function replaceHash(bytes: Hex, old: Hex, hash: Hex): Hex {
  return `0x${bytes.slice(2).replace(old.slice(2), hash.slice(2))}`;
}
