// The registry contract itself: deployed on the development chain, checked wherever it is.

import { contentRegistryAbi, contentRegistryBytecode } from '@provenance-registry/contract';
import {
  type Account,
  createWalletClient,
  custom,
  getContractAddress,
  keccak256,
  type PublicClient,
  stringToBytes,
  type TransactionReceipt,
} from 'viem';
import type { Hex } from '../registry/ports.js';

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

/**
 * Deploys the registry as the first thing that its administrator ever does, so that its address is known beforehand:
 * whoever starts again after any interruption finds out what is there. Then brings roles and endpoints up to date.
 */
export async function provideRegistry(node: PublicClient, roles: RegistryRoles): Promise<Hex> {
  const { admin, registrar, endpoints } = roles;
  const wallet = createWalletClient({ account: admin, transport: custom(node) });
  const address = getContractAddress({ from: admin.address, nonce: 0n });
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
    return address;
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
  return address;
}

/** Why this contract cannot be used; undefined when it can. Throws when the node does not answer. */
export async function findFault(
  node: PublicClient,
  address: Hex,
  registrar: Hex | undefined,
): Promise<string | undefined> {
  const contract = { address, abi: contentRegistryAbi } as const;
  if ((await node.getCode({ address })) === undefined) return `there is no contract at ${address}`;
  const version = await node.readContract({ ...contract, functionName: 'c2paSpecVersion' }).catch(ifAnswered);
  if (version !== SPEC_VERSION) return `the contract at ${address} is not a registry of C2PA ${SPEC_VERSION}`;
  if (registrar === undefined) return undefined;
  const isRegistrar = await node
    .readContract({ ...contract, functionName: 'hasRole', args: [REGISTRAR_ROLE, registrar] })
    .catch(ifAnswered);
  return isRegistrar ? undefined : `the key of ${registrar} may not write to the registry at ${address}`;
}

/** A contract that answers something else is a fault of the contract; a node that does not answer is none. */
function ifAnswered(error: unknown): undefined {
  if (error instanceof Error && error.name === 'ContractFunctionExecutionError' && !isUnreachable(error)) return;
  throw error;
}

function isUnreachable(error: Error): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (['HttpRequestError', 'TimeoutError'].includes(cause.name)) return true;
  }
  return false;
}
