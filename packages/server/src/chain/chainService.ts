// The chain as the service uses it: the resolver that reads the registry, the mirror of its entries, and the submitter
// that writes to it.

import { createJsonRpcClient, nodeErrorMessage, readChainId } from '@provenance-registry/chain-client';
import { contentRegistryAbi } from '@provenance-registry/contract';
import { getAddress } from 'viem';
import type {
  Backlog,
  ChainHealth,
  ChainOutbox,
  ChainRegistrations,
  ChainRegistry,
  ChainTracer,
  Hex,
  MirrorStore,
  PublicRegistry,
} from '../domain/ports/index.js';
import {
  type ChainSource,
  connectionToNode,
  requireExpectedChain,
  WrongChainError,
  withoutPassword,
} from './chainSource.js';
import { provideDevelopmentChain } from './developmentChain.js';
import { Mirror } from './mirror/mirror.js';
import { chainUnavailableError, createPublicRegistry } from './publicRegistry.js';
import { createRegistrationReader } from './registrationReader.js';
import { findContractProblem } from './registryContract.js';
import { createResolver } from './resolver.js';
import { Submitter, type SubmitterOptions } from './submitter/submitter.js';

/** For readiness checks: as long as a lookup waits for the chain. */
const CHECK_TIMEOUT_MS = 1_000;
/** Between attempts to use a node that was unavailable at the start. */
const RECONNECT_MS = 5_000;

/** Of a process that does not write. */
const noReport = {
  holdsLease: undefined,
  transactions: {},
  gasPerRegistration: undefined,
  balance: undefined,
  lowBalance: undefined,
};

export interface ChainOptions {
  readonly source: ChainSource;
  readonly queue: ChainOutbox;
  /** Undefined: this process does not mirror the chain. */
  readonly mirror: MirrorStore | undefined;
  /** The endpoint that the curated registry publishes. */
  readonly endpoint: string;
  /** A node that clients may use. Undefined: the development chain, or none. */
  readonly publicUrl?: string | undefined;
  readonly confirmations: number;
  readonly pseudonymSecret: string;
  readonly retry: SubmitterOptions['retry'];
  readonly log: SubmitterOptions['log'];
  readonly tracer: ChainTracer;
}

export interface Chain {
  readonly contract: {
    readonly address: Hex;
    readonly abi: typeof contentRegistryAbi;
    /** Undefined until a node has reported it. */
    readonly chainId: number | undefined;
    readonly rpcUrl: string | undefined;
  };
  readonly registry: ChainRegistry;
  readonly registrations: ChainRegistrations;
  readonly publicRegistry: PublicRegistry;
  /** Throws when the node does not respond. */
  check(): Promise<void>;
  health(): ChainHealth;
  readBacklog(): Promise<Backlog>;
  /** An Artifact is waiting for registration. */
  wake(): void;
  close(): Promise<void>;
}

export async function openChain(options: ChainOptions): Promise<Chain> {
  const { source, queue, confirmations, pseudonymSecret, retry, log, tracer } = options;
  const connection =
    source.kind === 'development' ? await provideDevelopmentChain(source, options) : connectionToNode(source);
  const { url, registry, writer } = connection;
  const node = createJsonRpcClient({ url });
  const checkedNode = createJsonRpcClient({ url, timeoutMs: CHECK_TIMEOUT_MS });
  const resolver = createResolver({ url, registry });
  const registrations = createRegistrationReader({ url, registry });
  const publicRegistry = createPublicRegistry({ url, registry });
  let submitter: Submitter | undefined;
  let mirror: Mirror | undefined;
  /** Undefined until the node, its chain and the contract have been checked: nothing is read or written before. */
  let verifiedChainId: number | undefined;
  let isClosed = false;
  let reconnectTimer: NodeJS.Timeout | undefined;

  async function verifyAndStart(): Promise<void> {
    const chainId = await readChainId(node);
    await requireExpectedChain(source, queue, chainId);
    const problem = await findContractProblem(node, registry, writer?.address);
    if (problem) throw new WrongChainError(problem);
    verifiedChainId = chainId;
    if (writer) await queue.saveRegistry({ chainId, address: registry });
    if (isClosed) return;
    const isIndexedLate = source.kind === 'node';
    mirror = options.mirror && new Mirror({ store: options.mirror, url, chainId, registry, isIndexedLate, log });
    if (!writer) return;
    submitter = new Submitter({
      queue,
      node,
      chainId,
      registry,
      account: writer,
      confirmations,
      pseudonymSecret,
      retry,
      log,
      tracer,
    });
  }

  function retryLater(lastReason: string): void {
    reconnectTimer = setTimeout(async () => {
      try {
        await verifyAndStart();
        log('info', {}, 'chain: the node is available');
      } catch (error) {
        if (!isClosed) retryLater(logProblem(error, lastReason));
      }
    }, RECONNECT_MS).unref();
  }

  /** Logs each reason once, however long it lasts. */
  function logProblem(error: unknown, lastReason: string): string {
    const reason = nodeErrorMessage(error);
    const problem = error instanceof WrongChainError ? 'nothing is read or written' : 'the node is unavailable';
    if (reason !== lastReason) log('warn', { reason }, `chain: ${problem}`);
    return reason;
  }

  try {
    await verifyAndStart();
  } catch (error) {
    if (error instanceof WrongChainError || source.kind === 'development') {
      await connection.close();
      throw error;
    }
    retryLater(logProblem(error, ''));
  }

  return {
    contract: {
      address: getAddress(registry),
      abi: contentRegistryAbi,
      get chainId() {
        return verifiedChainId;
      },
      rpcUrl: options.publicUrl ?? (source.kind === 'development' ? withoutPassword(url) : undefined),
    },
    registry: {
      resolve: async (fingerprint) => (verifiedChainId === undefined ? undefined : resolver.resolve(fingerprint)),
    },
    registrations: {
      read: async (...keys) => (verifiedChainId === undefined ? undefined : registrations.read(...keys)),
    },
    publicRegistry: {
      async findEntry(fingerprint, account) {
        if (verifiedChainId === undefined) throw chainUnavailableError(new Error('the chain is not verified yet'));
        return publicRegistry.findEntry(fingerprint, account);
      },
    },
    async check() {
      await readChainId(checkedNode);
      if (verifiedChainId === undefined) throw new Error('the chain is not verified yet');
    },
    health: () => ({ ...(submitter?.report() ?? noReport), isBreakerOpen: resolver.isBreakerOpen() }),
    readBacklog: () => queue.readBacklog(),
    wake: () => submitter?.wake(),
    async close() {
      isClosed = true;
      clearTimeout(reconnectTimer);
      await Promise.all([submitter?.stop(), mirror?.stop()]);
      await connection.close();
    },
  };
}
