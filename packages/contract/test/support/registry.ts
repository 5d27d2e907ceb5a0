// A registry deployed on its own EVM, with the accounts that use it.

import {
  type Address,
  BaseError,
  bytesToHex,
  ContractFunctionRevertedError,
  type GetContractReturnType,
  getContract,
  type Hex,
  hexToBytes,
  keccak256,
  type PublicClient,
  type TransactionReceipt,
  toBytes,
} from 'viem';
import { randomBytes } from '../../../../test/support/random.js';
import { contentRegistryAbi, contentRegistryBytecode } from '../../src/index.js';
import { type Evm, type Sender, startEvm } from './evm.js';

/** 40 bytes, a typical length for the URL of a resolution API. */
export const endpoint = 'https://registry.example.com/api/v1/c2pa';

export const ADMIN_DELAY = 3600;

type Contract = GetContractReturnType<typeof contentRegistryAbi, { public: PublicClient; wallet: Sender }>;

export interface Registry {
  evm: Evm;
  address: Address;
  deploymentGas: bigint;
  /** The admin also has the pauser and endpoint roles; the last three accounts have no role. */
  accounts: Record<'admin' | 'registrar' | 'alice' | 'bob' | 'carol', Address>;
  admin: Contract;
  registrar: Contract;
  alice: Contract;
  bob: Contract;
  carol: Contract;
  /** Reads are the same for everyone. */
  read: Contract['read'];
  as(account: Address): Contract;
  receipt(hash: Hex): Promise<TransactionReceipt>;
}

export async function startRegistry(): Promise<Registry> {
  return deployRegistry(await startEvm());
}

export async function deployRegistry(evm: Evm): Promise<Registry> {
  const [admin, registrar, alice, bob, carol] = evm.accounts;
  if (!admin || !registrar || !alice || !bob || !carol) throw new Error('Too few accounts');
  const hash = await evm.as(admin).deployContract({
    abi: contentRegistryAbi,
    bytecode: contentRegistryBytecode,
    args: [admin, ADMIN_DELAY, registrar, [endpoint]],
  });
  const { contractAddress: address, gasUsed: deploymentGas } = await evm.reader.getTransactionReceipt({ hash });
  if (!address) throw new Error('Nothing was deployed');

  const as = (account: Address): Contract =>
    getContract({ address, abi: contentRegistryAbi, client: { public: evm.reader, wallet: evm.as(account) } });
  return {
    evm,
    address,
    deploymentGas,
    accounts: { admin, registrar, alice, bob, carol },
    admin: as(admin),
    registrar: as(registrar),
    alice: as(alice),
    bob: as(bob),
    carol: as(carol),
    read: as(carol).read,
    as,
    receipt: (sent) => evm.reader.getTransactionReceipt({ hash: sent }),
  };
}

export const random = (length: number): Hex => bytesToHex(randomBytes(length));

/** A curated registration with everything different from every other one. */
export const registration = () => ({
  fingerprint: random(32),
  manifestId: random(16),
  manifestHash: random(32),
  userIdHash: random(32),
});

/** The arguments of `registerManifest`. */
export const argumentsOf = (r: ReturnType<typeof registration>) =>
  [r.fingerprint, r.manifestId, r.manifestHash, r.userIdHash] as const;

export const role = (name: 'REGISTRAR' | 'PAUSER' | 'ENDPOINT'): Hex => keccak256(toBytes(`${name}_ROLE`));
export const DEFAULT_ADMIN_ROLE: Hex = `0x${'00'.repeat(32)}`;

/** The text of a UUID, made another way than the contract does. */
export function uuidText(id: Hex): string {
  return id.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const base64 = (fingerprint: Hex): string => Buffer.from(hexToBytes(fingerprint)).toString('base64');

export const query = (fingerprint: Hex): string => JSON.stringify({ softBindingValue: base64(fingerprint) });

/** How a call ended: `undefined` if well, otherwise the contract's error. */
export async function revertOf(
  call: Promise<unknown>,
): Promise<{ name: string; args: readonly unknown[] } | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    const reverted = error instanceof BaseError && error.walk((e) => e instanceof ContractFunctionRevertedError);
    if (!(reverted instanceof ContractFunctionRevertedError) || !reverted.data) throw error;
    return { name: reverted.data.errorName, args: reverted.data.args ?? [] };
  }
}
