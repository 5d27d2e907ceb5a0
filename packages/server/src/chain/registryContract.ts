// The registry contract itself: deployed on the development chain, checked on every chain.

import {
  errorCodes,
  hasCode,
  hasRole,
  type JsonRpcClient,
  JsonRpcError,
  NotARegistryError,
  readEndpoints,
  readLogWriter,
  readReceipt,
  readSpecVersion,
  readTransactionCount,
} from '@provenance-registry/chain-client';
import {
  contentRegistryAbi,
  contentRegistryBytecode,
  REGISTRAR_ROLE,
  registryLogAbi,
  registryLogBytecode,
  SPEC_VERSION,
} from '@provenance-registry/contract';
import { type Account, createWalletClient, custom, getContractAddress } from 'viem';
import type { Hex } from '../domain/ports/index.js';

/** Public chains delay a transfer of the admin role by days; the development chain does not need to. */
const ADMIN_DELAY_SECONDS = 0;

export interface RegistryRoles {
  readonly admin: Account;
  readonly registrar: Hex;
  readonly endpoints: readonly string[];
}

/** The address of the registry that this administrator deploys as its first transaction. */
export function registryAddressOf(admin: Account): Hex {
  return getContractAddress({ from: admin.address, nonce: 0n });
}

/**
 * Deploys the registry as the administrator's first transaction, which fixes its address: an interrupted deployment is
 * found again. Then updates roles and endpoints. The development chain mines each transaction before it responds.
 */
export async function deployRegistry(node: JsonRpcClient, roles: RegistryRoles): Promise<void> {
  const { admin, registrar, endpoints } = roles;
  const wallet = createWalletClient({ account: admin, transport: custom(node) });
  const address = registryAddressOf(admin);
  const contract = { address, abi: contentRegistryAbi, chain: null } as const;
  const requireSuccess = async (hash: Hex): Promise<void> => {
    const receipt = await readReceipt(node, hash);
    if (!receipt?.isSuccess) throw new Error('The registry contract could not be set up.');
  };

  if (!(await hasCode(node, address))) {
    const args = [admin.address, ADMIN_DELAY_SECONDS, registrar, endpoints] as const;
    await requireSuccess(
      await wallet.deployContract({ abi: contentRegistryAbi, bytecode: contentRegistryBytecode, args, chain: null }),
    );
    return;
  }
  const current = await readEndpoints(node, address);
  if (current.join('\n') !== endpoints.join('\n')) {
    await requireSuccess(await wallet.writeContract({ ...contract, functionName: 'setEndpoints', args: [endpoints] }));
  }
  if (!(await hasRole(node, address, REGISTRAR_ROLE, registrar))) {
    await requireSuccess(
      await wallet.writeContract({ ...contract, functionName: 'grantRole', args: [REGISTRAR_ROLE, registrar] }),
    );
  }
}

/** Deploys the contract that takes the anchors of the log on the development chain, and returns its address. */
export async function deployLogContract(node: JsonRpcClient, deployer: Account, writer: Hex): Promise<Hex> {
  const wallet = createWalletClient({ account: deployer, transport: custom(node) });
  const nonce = await readTransactionCount(node, deployer.address, 'latest');
  const deployment = {
    abi: registryLogAbi,
    bytecode: registryLogBytecode,
    args: [writer],
    chain: null,
    nonce,
  } as const;
  const receipt = await readReceipt(node, await wallet.deployContract(deployment));
  if (!receipt?.isSuccess) throw new Error('The contract of the log could not be deployed.');
  return getContractAddress({ from: deployer.address, nonce: BigInt(nonce) });
}

/** Why this contract cannot take the anchors of the log; undefined when it can. Throws when the node does not respond. */
export async function findLogContractProblem(
  node: JsonRpcClient,
  address: Hex,
  writer: Hex | undefined,
): Promise<string | undefined> {
  if (!(await hasCode(node, address))) return `LOG_CONTRACT: there is no contract at ${address}`;
  const allowed = await readLogWriter(node, address).catch(undefinedIfContractFailed);
  if (allowed === undefined) return `LOG_CONTRACT: the contract at ${address} takes no anchors of a log`;
  const mayWrite = writer === undefined || writer.toLowerCase() === allowed.toLowerCase();
  return mayWrite ? undefined : `CHAIN_PRIVATE_KEY: its account ${writer} may not anchor in the contract at ${address}`;
}

/** Why this contract cannot be used; undefined when it can. Throws when the node does not respond. */
export async function findContractProblem(
  node: JsonRpcClient,
  address: Hex,
  registrar: Hex | undefined,
): Promise<string | undefined> {
  if (!(await hasCode(node, address))) return `REGISTRY_ADDRESS: there is no contract at ${address}`;
  const version = await readSpecVersion(node, address).catch(undefinedIfContractFailed);
  if (version !== SPEC_VERSION)
    return `REGISTRY_ADDRESS: the contract at ${address} is not a registry of C2PA ${SPEC_VERSION}`;
  if (registrar === undefined) return undefined;
  const isRegistrar = await hasRole(node, address, REGISTRAR_ROLE, registrar).catch(undefinedIfContractFailed);
  return isRegistrar
    ? undefined
    : `CHAIN_PRIVATE_KEY: its account ${registrar} may not write to the registry at ${address}`;
}

/** A contract without such a function is the wrong contract; a node that cannot respond now says nothing about it. */
function undefinedIfContractFailed(error: unknown): undefined {
  if (error instanceof NotARegistryError) return;
  if (!(error instanceof JsonRpcError) || !isExecutionFailure(error)) throw error;
}

/** Not all nodes have an error code for it. */
function isExecutionFailure({ code, message }: JsonRpcError): boolean {
  return code === errorCodes.reverted || /revert|opcode|jump|out of gas|stack/i.test(message);
}
