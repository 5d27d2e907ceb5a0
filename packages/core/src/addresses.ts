// Addresses of accounts on chain, as readers of the chain write them.

import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';

/** The mixed-case form of EIP-55 of an address of 40 lower-case hex digits. */
export function checksumAddress(digits: string): `0x${string}` {
  const hash = bytesToHex(keccak_256(utf8ToBytes(digits)));
  const cased = [...digits].map((digit, index) => ((hash[index] ?? '') >= '8' ? digit.toUpperCase() : digit));
  return `0x${cased.join('')}`;
}
