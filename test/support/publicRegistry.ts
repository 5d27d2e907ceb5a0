// Writes to the public part of the registry contract, as any account may.

import { contentRegistryAbi } from '@provenance-registry/contract';
import { createPublicClient, createWalletClient, type Hex, http } from 'viem';
import { hardhat } from 'viem/chains';
import { expect } from 'vitest';
import type { TestFile } from './files.js';
import { call, type Service } from './service.js';
import { testWallet } from './wallets.js';

/** Returns the address of the account that wrote the entry. */
export async function writePublicEntry(
  service: Pick<Service, 'url'>,
  rpcUrl: string,
  { fingerprint }: Pick<TestFile, 'fingerprint'>,
  { endpoints, manifestId, account = 1 }: { endpoints: string[]; manifestId: string; account?: number },
): Promise<Hex> {
  const { body } = await call(service, 'GET', '/c2pa/contract');
  const writer = testWallet(account);
  const transport = http(rpcUrl);
  const hash = await createWalletClient({ account: writer, chain: hardhat, transport }).writeContract({
    address: body.address,
    abi: contentRegistryAbi,
    functionName: 'registerPublicManifest',
    args: [fingerprint, endpoints, manifestId, `0x${'11'.repeat(32)}`],
  });
  const receipt = await createPublicClient({ chain: hardhat, transport }).waitForTransactionReceipt({ hash });
  expect(receipt.status).toBe('success');
  return writer.address;
}
