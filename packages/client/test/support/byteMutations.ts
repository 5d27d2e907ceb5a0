// Mutations of bytes, and of those in the texts of a proof.

import type { Hex } from 'viem';
import { type Change, changed } from '../../../server/test/fuzz/mutations.js';
import type { ReceiptProof } from './forgedProofs.js';
import { pick, type Random } from './seededChoices.js';

/** The bytes behind one of the texts of the proof. */
export function changeBytes(proof: ReceiptProof, random: Random): void {
  const part = Math.floor(random() * (2 + proof.nodes.length));
  if (part === 0) proof.header = mutateHex(proof.header, random);
  else if (part === 1) proof.receipt = mutateHex(proof.receipt, random);
  else proof.nodes[part - 2] = mutateHex(proof.nodes[part - 2] ?? '0x', random);
}

export function mutateHex(text: string, random: Random): Hex {
  return `0x${changed(Buffer.from(text.slice(2), 'hex'), [chooseChange(random)]).toString('hex')}`;
}

export function chooseChange(random: Random): Change {
  const at = random();
  const amount = 1 + Math.floor(random() ** 2 * 64);
  const choices: readonly Change[] = [
    { do: 'flip', at, bit: Math.floor(random() * 8) },
    { do: 'set', at, byte: pick(random, [0, 1, 0x7f, 0x80, 0xff] as const) },
    { do: 'length', at, value: pick(random, [0, 1, 7, 8, 0x7fffffff, 0xffffffff] as const), little: random() < 0.5 },
    { do: 'truncate', at },
    { do: 'remove', at, amount },
    { do: 'duplicate', at, amount },
    { do: 'zero', at, amount },
    { do: 'splice', at, bytes: Uint8Array.from({ length: amount }, () => Math.floor(random() * 256)) },
  ];
  return pick(random, choices);
}
