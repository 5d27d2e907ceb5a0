// The registry contract itself: deployed on the development chain, checked wherever it is.

import { errorCodes, NodeUnavailableError } from '@provenance-registry/chain-client';
import { contentRegistryAbi, contentRegistryBytecode } from '@provenance-registry/contract';
import {
  type Account,
  BaseError,
  createWalletClient,
  custom,
  getContractAddress,
  keccak256,
  type PublicClient,
  RpcRequestError,
  stringToBytes,
  type TransactionReceipt,
} from 'viem';
import type { Hex } from '../domain/ports/index.js';

/** What this code was written for; a contract that says otherwise is another contract. */
const SPEC_VERSION = '2.2.0';
const REGISTRAR_ROLE = keccak256(stringToBytes('REGISTRAR_ROLE'));
/** On a real chain the administrator changes hands in two steps with days between; nobody is waiting here. */
const ADMIN_DELAY_SECONDS = 0;

export interface RegistryRoles {
  readonly admin: Account;
  readonly registrar: Hex;
  readonly endpoints: readonly string[];
}

/** Where the registry is that this administrator deploys first of all. */
export function registryOf(admin: Account): Hex {
  return getContractAddress({ from: admin.address, nonce: 0n });
}

/**
 * Deploys the registry as the first thing that its administrator ever does, so that its address is known beforehand:
 * whoever starts again after any interruption finds out what is there. Then brings roles and endpoints up to date.
 */
export async function provideRegistry(node: PublicClient, roles: RegistryRoles): Promise<void> {
  const { admin, registrar, endpoints } = roles;
  const wallet = createWalletClient({ account: admin, transport: custom(node) });
  const address = registryOf(admin);
  const contract = { address, abi: contentRegistryAbi, chain: null } as const;
  const mined = async (hash: Hex): Promise<TransactionReceipt> => {
    const receipt = await node.getTransactionReceipt({ hash });
    if (receipt.status !== 'success') throw new Error('The registry contract could not be set up.');
    return receipt;
  };

  if ((await node.getCode({ address })) === undefined) {
    const args = [admin.address, ADMIN_DELAY_SECONDS, registrar, endpoints] as const;
    await mined(
      await wallet.deployContract({ abi: contentRegistryAbi, bytecode: contentRegistryBytecode, args, chain: null }),
    );
    return;
  }
  const current = await node.readContract({ ...contract, functionName: 'endpoints' });
  if (current.join('\n') !== endpoints.join('\n')) {
    await mined(await wallet.writeContract({ ...contract, functionName: 'setEndpoints', args: [endpoints] }));
  }
  const isRegistrar = await node.readContract({
    ...contract,
    functionName: 'hasRole',
    args: [REGISTRAR_ROLE, registrar],
  });
  if (!isRegistrar) {
    await mined(
      await wallet.writeContract({ ...contract, functionName: 'grantRole', args: [REGISTRAR_ROLE, registrar] }),
    );
  }
}

/** Why this contract cannot be used; undefined when it can. Throws when the node does not answer. */
export async function findFault(
  node: PublicClient,
  address: Hex,
  registrar: Hex | undefined,
): Promise<string | undefined> {
  const contract = { address, abi: contentRegistryAbi } as const;
  if ((await node.getCode({ address })) === undefined) return `REGISTRY_ADDRESS: there is no contract at ${address}`;
  const version = await node.readContract({ ...contract, functionName: 'c2paSpecVersion' }).catch(ifAnswered);
  if (version !== SPEC_VERSION)
    return `REGISTRY_ADDRESS: the contract at ${address} is not a registry of C2PA ${SPEC_VERSION}`;
  if (registrar === undefined) return undefined;
  const isRegistrar = await node
    .readContract({ ...contract, functionName: 'hasRole', args: [REGISTRAR_ROLE, registrar] })
    .catch(ifAnswered);
  return isRegistrar
    ? undefined
    : `CHAIN_PRIVATE_KEY: its account ${registrar} may not write to the registry at ${address}`;
}

/** A contract that has no such function is a fault of the contract; a node that has no answer just now is none. */
function ifAnswered(error: unknown): undefined {
  if (!(error instanceof BaseError) || error.walk((cause) => cause instanceof NodeUnavailableError) !== null)
    throw error;
  const refusal = error.walk((cause) => cause instanceof RpcRequestError);
  // Without a refusal there was an answer, in bytes that are not what was asked for.
  if (refusal instanceof RpcRequestError && !isBadEnd(refusal)) throw error;
}

/** The code itself came to a bad end. Not all nodes have a number for it. */
function isBadEnd({ code, details }: RpcRequestError): boolean {
  return code === errorCodes.reverted || /revert|opcode|jump|out of gas|stack/i.test(details);
}
