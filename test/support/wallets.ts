// Accounts whose keys are public: those of the mnemonic that development chains share, and two fixed keys.

import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts';

export const TEST_MNEMONIC = 'test test test test test test test test test test test junk';

export const testWallet = (addressIndex: number) => mnemonicToAccount(TEST_MNEMONIC, { addressIndex });

const ADMIN_KEY = `0x${'a1'.repeat(32)}` as const;
export const REGISTRAR_KEY = `0x${'b2'.repeat(32)}` as const;
export const admin = privateKeyToAccount(ADMIN_KEY);
export const registrar = privateKeyToAccount(REGISTRAR_KEY);
