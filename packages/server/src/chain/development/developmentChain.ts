// Finds the development chain of a data folder, or starts it: one process runs it, and others on the machine join it.

import { randomBytes } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createJsonRpcClient, hasCode, type JsonRpcClient } from '@provenance-registry/chain-client';
import { FolderInUseError } from '@provenance-registry/dev-chain';
import type { Account } from 'viem';
import type { Hex } from '../../domain/ports/index.js';
import { accountOfKey, type ChainConnection, type DevelopmentSource, toLowerCase } from '../chainSource.js';
import { deployLogContract, deployRegistry, findLogContractProblem, registryAddressOf } from '../registryContract.js';
import { type ChainProcess, startChainProcess } from './chainProcess.js';

/** Five times as long as the process that runs the chain takes to replay the longest measured journal. */
const SHARED_CHAIN_TIMEOUT_MS = 30_000;
const SHARED_CHAIN_POLL_MS = 100;
/** A running chain on the same machine responds sooner. */
const SHARED_CHAIN_CHECK_MS = 1_000;

/** Holds the URL of the running chain with the password of the service's own calls, for other processes of the service. */
const ADDRESS_FILE = 'address';
/** Complete only with its line end. */
const addressFileForm = /^(http:\/\/[\w:]+@127\.0\.0\.1:\d+)\n$/;
/** Holds the address of the contract that takes the anchors of the log. */
const LOG_CONTRACT_FILE = 'log-contract';
const addressForm = /^0x[0-9a-f]{40}$/;
const TOKEN_BYTES = 32;

class SharedChainUnavailableError extends Error {
  override readonly name = 'SharedChainUnavailableError';

  constructor(folder: string) {
    super(`Another process runs the development chain in ${folder} and does not respond.`);
  }
}

export interface ProvidedChainOptions {
  readonly confirmations: number;
  /** The endpoint that the curated registry publishes. */
  readonly endpoint: string;
  /** Ends waiting for another process. */
  readonly stop: AbortSignal;
}

/** Starts the chain and deploys the registry, or joins the process that did. */
export async function provideDevelopmentChain(
  source: DevelopmentSource,
  { confirmations, endpoint, stop }: ProvidedChainOptions,
): Promise<ChainConnection> {
  const { admin, writer, registry } = accountsOf(source);
  const connection = { registry, writer: source.writes ? writer : undefined };
  const chain = await startOrJoin(source, confirmations, stop);
  if (chain.isShared) {
    const logContract = await readLogContract(source.folder);
    return { ...connection, logContract, url: chain.url, close: async () => {} };
  }
  try {
    const roles = { admin, registrar: writer.address, endpoints: [endpoint] };
    const node = createJsonRpcClient({ url: chain.url });
    await deployRegistry(node, roles);
    const logContract = await provideLogContract(node, source.folder, { deployer: admin, writer: writer.address });
    const file = join(source.folder, ADDRESS_FILE);
    await writeFile(file, '', { mode: 0o600 });
    // Earlier releases created it for everyone to read.
    await chmod(file, 0o600);
    await writeFile(file, `${chain.url}\n`);
    return { ...connection, logContract, url: chain.url, close: chain.close };
  } catch (error) {
    await chain.close();
    throw error;
  }
}

/** Another writer needs another contract. One whose deployment was interrupted before its address was kept is not used. */
async function provideLogContract(
  node: JsonRpcClient,
  folder: string,
  { deployer, writer }: { readonly deployer: Account; readonly writer: Hex },
): Promise<Hex> {
  const known = await readLogContract(folder);
  if (known !== undefined && (await findLogContractProblem(node, known, writer)) === undefined) return known;
  const address = toLowerCase(await deployLogContract(node, deployer, writer));
  await writeFile(join(folder, LOG_CONTRACT_FILE), `${address}\n`);
  return address;
}

/** Undefined when there is none yet. */
async function readLogContract(folder: string): Promise<Hex | undefined> {
  const text = (await readFile(join(folder, LOG_CONTRACT_FILE), 'utf8').catch(() => '')).trim();
  return addressForm.test(text) ? toLowerCase(`0x${text.slice(2)}`) : undefined;
}

/** Opens the chain for reading only. A chain started for it has a random port and is not announced: it runs for a short time. */
export async function openDevelopmentChainForReading(source: DevelopmentSource): Promise<ChainConnection> {
  const { url, close } = await startOrJoin({ ...source, port: 0, joins: true }, 1);
  return { url, close, registry: accountsOf(source).registry, logContract: undefined, writer: undefined };
}

function accountsOf({ adminKey, writingKey }: DevelopmentSource) {
  const admin = accountOfKey(adminKey);
  return { admin, writer: accountOfKey(writingKey), registry: toLowerCase(registryAddressOf(admin)) };
}

async function startOrJoin(
  source: DevelopmentSource,
  confirmations: number,
  stop?: AbortSignal,
): Promise<ChainProcess & { readonly isShared: boolean }> {
  const { folder, port, origin, joins, onFault } = source;
  const { admin, writer, registry } = accountsOf(source);
  const funded = [admin.address, writer.address];
  for (const startedAt = Date.now(); ; await delay(SHARED_CHAIN_POLL_MS, undefined, { signal: stop })) {
    try {
      const token = randomBytes(TOKEN_BYTES).toString('hex');
      const chain = await startChainProcess({
        folder,
        port,
        funded,
        confirmations,
        token,
        ...(origin !== undefined && { origin }),
        onFault,
      });
      return { ...chain, isShared: false };
    } catch (error) {
      if (!(error instanceof FolderInUseError)) throw error;
    }
    const url = joins ? await findRunningChain(folder, registry) : undefined;
    if (url !== undefined) return { url, close: async () => {}, isShared: true };
    if (Date.now() - startedAt > SHARED_CHAIN_TIMEOUT_MS) throw new SharedChainUnavailableError(folder);
  }
}

/** The file may be outdated: only this chain has the registry at its address. */
async function findRunningChain(folder: string, registry: Hex): Promise<string | undefined> {
  const text = await readFile(join(folder, ADDRESS_FILE), 'utf8').catch(() => '');
  const url = addressFileForm.exec(text)?.[1];
  if (url === undefined) return undefined;
  const node = createJsonRpcClient({ url, timeoutMs: SHARED_CHAIN_CHECK_MS });
  return (await hasCode(node, registry).catch(() => false)) ? url : undefined;
}
