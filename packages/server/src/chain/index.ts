// The chain as the service uses it: a development chain of its own or a node somewhere, the registry on it, the
// resolver that reads it and the submitter that writes it.

import { contentRegistryAbi } from '@provenance-registry/contract';
import type { PublicClient } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import type { ChainHealth, ChainRegistry, Hex, RegistrationQueue } from '../registry/ports.js';
import { startDevelopmentChain } from './developmentChain.js';
import { FolderInUse } from './folderLock.js';
import { complaintOf, connectToNode } from './node.js';
import { findFault, provideRegistry } from './registryContract.js';
import { createResolver } from './resolver.js';
import { type Submitter, type SubmitterOptions, startSubmitter } from './submitter.js';

/** For an answer to "is the chain there?": as long as a lookup would wait for it. */
const CHECK_MS = 1_000;
/** While the node is away at the start. */
const ANOTHER_TRY_MS = 5_000;

export interface ChainOptions {
  readonly source: DevelopmentSource | NodeSource;
  readonly queue: RegistrationQueue;
  /** What the curated registry tells people to ask. */
  readonly endpoint: string;
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
  readonly contract: { readonly address: Hex; readonly abi: typeof contentRegistryAbi };
  readonly registry: ChainRegistry;
  /** Throws when the node does not answer. */
  check(): Promise<void>;
  health(): Promise<ChainHealth>;
  /** An Artifact waits for the chain. */
  wake(): void;
  close(): Promise<void>;
}

/** The node is there, and it is not the one that it should be. */
export class WrongChain extends Error {}

export async function openChain(options: ChainOptions): Promise<Chain> {
  const { source, queue } = options;
  const place = source.kind === 'development' ? await startOwn(options, source) : { ...source, close: async () => {} };
  const node = connectToNode({ url: place.url });
  const account = place.writingKey && privateKeyToAccount(place.writingKey);
  let submitter: Submitter | undefined;
  let closed = false;
  let retryTimer: NodeJS.Timeout | undefined;

  async function verify(): Promise<number> {
    const chainId = await node.getChainId();
    await refuseWrongChain(queue, chainId, source);
    const fault = await findFault(node, place.registry, account?.address);
    if (fault) throw new WrongChain(fault);
    return chainId;
  }

  async function begin(writer: PrivateKeyAccount, chainId: number): Promise<void> {
    await queue.rememberRegistry({ chainId, address: place.registry });
    if (closed) return;
    const { confirmations, retry, log } = options;
    submitter = startSubmitter({
      queue,
      node,
      chainId,
      registry: place.registry,
      account: writer,
      confirmations,
      retry,
      log,
    });
  }

  /** A node that is away now is not refused: it is looked at when it is back, before anything is written. */
  function tryLater(writer: PrivateKeyAccount | undefined): void {
    retryTimer = setTimeout(async () => {
      try {
        const chainId = await verify();
        if (writer) await begin(writer, chainId);
      } catch (error) {
        if (error instanceof WrongChain) options.log('warn', { reason: error.message }, 'chain: nothing is written');
        if (!closed) tryLater(writer);
      }
    }, ANOTHER_TRY_MS).unref();
  }

  try {
    const chainId = await verify();
    if (account) await begin(account, chainId);
  } catch (error) {
    if (error instanceof WrongChain || source.kind === 'development') {
      await place.close();
      throw error;
    }
    options.log('warn', { reason: complaintOf(error) }, 'chain: the node does not answer');
    tryLater(account);
  }

  const checking = connectToNode({ url: place.url, callMs: CHECK_MS });
  return {
    contract: { address: place.registry, abi: contentRegistryAbi },
    registry: createResolver({ url: place.url, registry: place.registry }),
    check: async () => void (await checking.getChainId()),
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

async function startOwn({ confirmations, endpoint }: ChainOptions, source: DevelopmentSource) {
  const { folder, port, adminKey, writingKey, onFault } = source;
  const admin = privateKeyToAccount(adminKey);
  const registrar = privateKeyToAccount(writingKey).address;
  const funded = [admin.address, registrar];
  const { url, close } = await startDevelopmentChain({ folder, port, funded, confirmations, onFault }).catch(
    (error) => {
      // Another process of this service, on this machine, has started it: there is one chain for both.
      if (error instanceof FolderInUse) return { url: `http://127.0.0.1:${port}`, close: async () => {} };
      throw error;
    },
  );
  try {
    const node: PublicClient = connectToNode({ url });
    const registry = await provideRegistry(node, { admin, registrar, endpoints: [endpoint] });
    return { url, registry, writingKey, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function refuseWrongChain(queue: RegistrationQueue, chainId: number, source: ChainOptions['source']) {
  const expected = source.kind === 'node' ? source.chainId : undefined;
  if (expected !== undefined && expected !== chainId) {
    throw new WrongChain(`the node is on chain ${chainId}, and CHAIN_ID is ${expected}`);
  }
  const used = await queue.chainsUsed();
  if (expected === undefined && used.length > 0 && !used.includes(chainId)) {
    throw new WrongChain(
      `the node is on chain ${chainId}, and this database has written to chain ${used.join(', ')}; set CHAIN_ID if that is meant`,
    );
  }
}
