// The hash function of Ethereum.

import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils';
import type { Hex } from './results.js';

export function keccak256(bytes: Hex): Hex {
  return `0x${bytesToHex(keccak_256(hexToBytes(bytes.slice(2))))}`;
}
