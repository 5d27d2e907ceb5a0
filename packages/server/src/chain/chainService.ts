// The chain as the service uses it: a development chain of its own or a node somewhere, the registry on it, the
// resolver that reads it and the submitter that writes it.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectToNode, nodeErrorMessage } from '@provenance-registry/chain-client';
import { contentRegistryAbi } from '@provenance-registry/contract';
import { RegistryError } from '@provenance-registry/core';
import { type DevelopmentChain, FolderInUseError, startDevelopmentChain } from '@provenance-registry/dev-chain';
import { getAddress } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { AuditedChain, ChainHealth, ChainRegistry, Hex, RegistrationQueue } from '../domain/ports/index.js';
import { readEntries } from './entries.js';
import { findTransactionHash } from './logs.js';
import { findFault, provideRegistry, registryOf } from './registryContract.js';
import { createResolver } from './resolver.js';
import { type Submitter, type SubmitterOptions, startSubmitter } from './submitter/submitter.js';

/** For an answer to "is the chain there?": as long as a lookup would wait for it. */
const CHECK_MS = 1_000;
/** While the node is away at the start. */
const ANOTHER_TRY_MS = 5_000;
/** The longest journal that was measured takes a fifth of this to be read again by the process that has the chain. */
const SHARED_CHAIN_MS = 30_000;
const SHARED_CHAIN_LOOK_MS = 100;

export interface ChainOptions {
  readonly source: DevelopmentSource | NodeSource;
  readonly queue: RegistrationQueue;
  /** What the curated registry tells people to ask. */
  readonly endpoint: string;
  /** A node that anyone may ask; undefined: there is none, unless the chain is our own. */
  readonly publicUrl?: string | undefined;
  readonly confirmations: number;
  readonly retry: SubmitterOptions['retry'];
  readonly log: SubmitterOptions['log'];
}

export interface DevelopmentSource {
  readonly kind: 'development';
  readonly folder: string;
  readonly port: number;
  readonly adminKey: Hex;
  readonly writingKey: Hex;
  /** False: this process only reads. */
  readonly writes: boolean;
  readonly onFault: (error: unknown) => void;
}

export interface NodeSource {
  readonly kind: 'node';
  readonly url: string;
  /** Undefined: any, but always the same. */
  readonly chainId: number | undefined;
  readonly registry: Hex;
  /** Undefined: this process only reads. */
  readonly writingKey: Hex | undefined;
}

export interface Chain {
  readonly contract: {
    readonly address: Hex;
    readonly abi: typeof contentRegistryAbi;
    /** Undefined until a node has told it. */
    readonly chainId: number | undefined;
    readonly rpcUrl: string | undefined;
  };
  readonly registry: ChainRegistry;
  /** Throws when the node does not answer. */
  check(): Promise<void>;
  health(): Promise<ChainHealth>;
  /** An Artifact waits for the chain. */
  wake(): void;
  close(): Promise<void>;
}

/** The node is there, and it is not the one that it should be. The message begins with the setting to look at. */
export class WrongChainError extends Error {}

export async function openChain(options: ChainOptions): Promise<Chain> {
  const { source, queue, confirmations, retry, log } = options;
  const place = source.kind === 'development' ? await provideOwn(options, source) : atNode(source);
  const { url, registry, writer } = place;
  const node = connectToNode({ url });
  const checking = connectToNode({ url, callMs: CHECK_MS });
  const resolver = createResolver({ url, registry });
  let submitter: Submitter | undefined;
  let knownId: number | undefined;
  let verified = false;
  let closed = false;
  let retryTimer: NodeJS.Timeout | undefined;

  /** Nothing is believed of a node, and nothing is written to it, before it has been looked at. */
  async function begin(): Promise<void> {
    const chainId = await node.getChainId();
    await refuseWrongChain(options, chainId);
    const fault = await findFault(node, registry, writer?.address);
    if (fault) throw new WrongChainError(fault);
    knownId = chainId;
    verified = true;
    if (!writer) return;
    await queue.rememberRegistry({ chainId, address: registry });
    if (closed) return;
    submitter = startSubmitter({ queue, node, chainId, registry, account: writer, confirmations, retry, log });
  }

  /** Each reason once: a node that is away for an hour is one event. */
  function tryLater(lastReason: string): void {
    retryTimer = setTimeout(async () => {
      try {
        await begin();
        log('info', {}, 'chain: the node is there');
      } catch (error) {
        if (!closed) tryLater(complain(error, lastReason));
      }
    }, ANOTHER_TRY_MS).unref();
  }

  function complain(error: unknown, lastReason: string): string {
    const reason = nodeErrorMessage(error);
    const trouble = error instanceof WrongChainError ? 'nothing is read or written' : 'the node does not answer';
    if (reason !== lastReason) log('warn', { reason }, `chain: ${trouble}`);
    return reason;
  }

  try {
    await begin();
  } catch (error) {
    if (error instanceof WrongChainError || source.kind === 'development') {
      await place.close();
      throw error;
    }
    // A node that is away now is no reason to refuse it.
    tryLater(complain(error, ''));
  }

  return {
    contract: {
      address: getAddress(registry),
      abi: contentRegistryAbi,
      get chainId() {
        return knownId;
      },
      rpcUrl: options.publicUrl ?? (source.kind === 'development' ? url : undefined),
    },
    registry: { resolve: async (fingerprint) => (verified ? resolver.resolve(fingerprint) : undefined) },
    async check() {
      await checking.getChainId();
      if (!verified) throw new Error('the chain has not been looked at yet');
    },
    health: async () => {
      const backlog = await queue.backlog();
      const idle = { transactions: {}, gasPerRegistration: 0, balance: undefined, lowBalance: false };
      return { backlog, ...(submitter?.report() ?? idle) };
    },
    wake: () => submitter?.wake(),
    async close() {
      closed = true;
      clearTimeout(retryTimer);
      await submitter?.stop();
      await place.close();
    },
  };
}

interface ReaderOptions {
  readonly source: ChainOptions['source'];
  readonly queue: Pick<RegistrationQueue, 'chainsUsed'>;
}

export interface ChainReader extends AuditedChain {
  close(): Promise<void>;
}

/** For those who work beside a service and only read: its development chain while that runs, or else started here. */
export async function openChainReader({ source, queue }: ReaderOptions): Promise<ChainReader> {
  const place = source.kind === 'development' ? await joinOwn(source) : atNode(source);
  try {
    const node = connectToNode({ url: place.url });
    await refuseWrongChain({ source, queue }, await node.getChainId());
    const { registry } = place;
    // A development chain that was begun anew has no registry before the service has deployed it: nothing is in it.
    const isEmpty = source.kind === 'development' && (await node.getCode({ address: registry })) === undefined;
    const fault = isEmpty ? undefined : await findFault(node, registry, undefined);
    if (fault) throw new WrongChainError(fault);
    return {
      entries: async (fingerprints) =>
        isEmpty ? new Map() : readEntries(node, registry, fingerprints).catch(asUnavailable),
      transactionOf: (fingerprint) => findTransactionHash(node, registry, fingerprint).catch(asUnavailable),
      close: place.close,
    };
  } catch (error) {
    await place.close();
    throw error;
  }
}

function asUnavailable(error: unknown): never {
  const cause = new Error(nodeErrorMessage(error));
  throw new RegistryError('UNAVAILABLE', 'The chain cannot be reached right now.', { cause });
}

class SharedChainSilent extends Error {
  constructor(folder: string) {
    super(`Another process has the development chain in ${folder} and does not answer.`);
  }
}

interface Place {
  readonly url: string;
  /** In lower case: the logs of receipts are compared with it. */
  readonly registry: Hex;
  readonly writer: PrivateKeyAccount | undefined;
  close(): Promise<void>;
}

function atNode({ url, registry, writingKey }: NodeSource): Place {
  return { url, registry: lowerCase(registry), writer: writingKey && accountOf(writingKey), close: async () => {} };
}

/** The development chain of this folder: started here, or found where another process of this machine has started it. */
async function provideOwn(options: ChainOptions, source: DevelopmentSource): Promise<Place> {
  const admin = accountOf(source.adminKey);
  const writer = accountOf(source.writingKey);
  const registry = lowerCase(registryOf(admin));
  const place = { registry, writer: source.writes ? writer : undefined };
  for (const began = Date.now(); ; await delay(SHARED_CHAIN_LOOK_MS)) {
    const own = await startOwn(options, source, [admin.address, writer.address]);
    if (own) {
      try {
        const roles = { admin, registrar: writer.address, endpoints: [options.endpoint] };
        await provideRegistry(connectToNode({ url: own.url }), roles);
        await writeFile(join(source.folder, ADDRESS_FILE), `${own.url}\n`);
        return { ...place, ...own };
      } catch (error) {
        await own.close();
        throw error;
      }
    }
    const url = await findShared(source.folder, registry);
    if (url !== undefined) return { ...place, url, close: async () => {} };
    if (Date.now() - began > SHARED_CHAIN_MS) throw new SharedChainSilent(source.folder);
  }
}

/** On any port, and told to nobody: it is there for a short while only. */
async function joinOwn(source: DevelopmentSource): Promise<Place> {
  const [admin, writer] = [accountOf(source.adminKey), accountOf(source.writingKey)];
  const place = { registry: lowerCase(registryOf(admin)), writer: undefined };
  for (const began = Date.now(); ; await delay(SHARED_CHAIN_LOOK_MS)) {
    const own = await startOwn({ confirmations: 1 }, { ...source, port: 0 }, [admin.address, writer.address]);
    if (own) return { ...place, ...own };
    const url = await findShared(source.folder, place.registry);
    if (url !== undefined) return { ...place, url, close: async () => {} };
    if (Date.now() - began > SHARED_CHAIN_MS) throw new SharedChainSilent(source.folder);
  }
}

/** Where other processes find out on which port the chain is. */
const ADDRESS_FILE = 'address';
/** The end of the line is the end of the writing. */
const addressForm = /^(http:\/\/127\.0\.0\.1:\d+)\n$/;

/** Undefined: another process has the folder. */
function startOwn(
  { confirmations }: Pick<ChainOptions, 'confirmations'>,
  { folder, port, onFault }: DevelopmentSource,
  funded: readonly Hex[],
): Promise<DevelopmentChain | undefined> {
  return startDevelopmentChain({ folder, port, funded, confirmations, onFault }).catch((error: unknown) => {
    if (error instanceof FolderInUseError) return undefined;
    throw error;
  });
}

/** The address may be from an earlier time: what counts is that the registry, which no other chain has, is there. */
async function findShared(folder: string, registry: Hex): Promise<string | undefined> {
  const text = await readFile(join(folder, ADDRESS_FILE), 'utf8').catch(() => '');
  const url = addressForm.exec(text)?.[1];
  if (url === undefined) return undefined;
  const code = await connectToNode({ url, callMs: CHECK_MS })
    .getCode({ address: registry })
    .catch(() => undefined);
  return code === undefined ? undefined : url;
}

function accountOf(privateKey: Hex): PrivateKeyAccount {
  try {
    return privateKeyToAccount(privateKey);
  } catch {
    // The reason would show it.
    throw new WrongChainError('CHAIN_PRIVATE_KEY: no account has this key');
  }
}

function lowerCase(address: Hex): Hex {
  return `0x${address.slice(2).toLowerCase()}`;
}

async function refuseWrongChain({ source, queue }: ReaderOptions, chainId: number) {
  const expected = source.kind === 'node' ? source.chainId : undefined;
  if (expected !== undefined && expected !== chainId) {
    throw new WrongChainError(`CHAIN_ID: it is ${expected}, and the node is on chain ${chainId}`);
  }
  const used = await queue.chainsUsed();
  if (expected !== undefined || used.length === 0 || used.includes(chainId)) return;
  const before = `this database has written to chain ${used.join(', ')}`;
  throw new WrongChainError(
    source.kind === 'node'
      ? `RPC_URL: the node is on chain ${chainId}, and ${before}; set CHAIN_ID if that is meant`
      : `RPC_URL: it is not set, and ${before}`,
  );
}
