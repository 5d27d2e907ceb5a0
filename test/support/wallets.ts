// Accounts of tests: those of the mnemonic that development chains share, two with fixed keys, and seeded ones.

import type { Hex } from 'viem';
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts';
import { randomBytes } from './random.js';

export const TEST_MNEMONIC = 'test test test test test test test test test test test junk';

export const testWallet = (addressIndex: number) => mnemonicToAccount(TEST_MNEMONIC, { addressIndex });

const ADMIN_KEY = `0x${'a1'.repeat(32)}` as const;
export const REGISTRAR_KEY = `0x${'b2'.repeat(32)}` as const;
export const admin = privateKeyToAccount(ADMIN_KEY);
export const registrar = privateKeyToAccount(REGISTRAR_KEY);

export function newPrivateKey(): Hex {
  return `0x${randomBytes(32).toString('hex')}`;
}
