// The chain as the service uses it: the resolver that reads the registry, the mirror of its entries, and the submitter
// that writes to it.

import {
  createJsonRpcClient,
  type JsonRpcClient,
  nodeErrorMessage,
  readChainId,
} from '@provenance-registry/chain-client';
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
  LogContract,
  MirrorStore,
  PublicRegistry,
} from '../domain/ports/index.js';
import type { WorkNotices } from '../jobs/workNotices.js';
import {
  type ChainConnection,
  type ChainSource,
  requireExpectedChain,
  WrongChainError,
  withoutPassword,
} from './chainSource.js';
import { Mirror } from './mirror/mirror.js';
import { chainUnavailableError, createPublicRegistry } from './publicRegistry.js';
import { createRegistrationReader } from './registrationReader.js';
import { findContractProblem, findLogContractProblem } from './registryContract.js';
import { createResolver, type Resolver } from './resolver.js';
import type { LogAnchoring } from './submitter/state.js';
import { Submitter, type SubmitterOptions } from './submitter/submitter.js';

/** Timeout of readiness checks: as long as a lookup waits for the chain. */
const CHECK_TIMEOUT_MS = 1_000;
/** Pause between attempts to use a node that was unavailable at the start. */
const RECONNECT_MS = 5_000;

/** The report of a process that does not write. */
const noReport = {
  holdsLease: undefined,
  transactions: {},
  gasPerRegistration: undefined,
  balance: undefined,
  lowBalance: undefined,
  anchor: undefined,
};

export interface ChainOptions {
  readonly source: ChainSource;
  readonly queue: ChainOutbox;
  /** Undefined: this process does not mirror the chain. */
  readonly mirror: MirrorStore | undefined;
  /** A node that clients may use. Undefined: the development chain, or none. */
  readonly publicUrl?: string | undefined;
  readonly confirmations: number;
  readonly anchoring: Omit<LogAnchoring, 'contract'>;
  readonly pseudonymSecret: string;
  readonly retry: SubmitterOptions['retry'];
  readonly log: SubmitterOptions['log'];
  readonly tracer: ChainTracer;
  readonly notices: WorkNotices;
}

/** Opens the chain. Without a node, it is opened too, and connects later; with a wrong one it throws. */
export async function openChain(connection: ChainConnection, options: ChainOptions): Promise<Chain> {
  const chain = new Chain(options, connection);
  try {
    await chain.verifyAndStart();
  } catch (error) {
    if (error instanceof WrongChainError || options.source.kind === 'development') throw error;
    chain.retryLater(error);
  }
  return chain;
}

export class Chain {
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
  readonly #options: ChainOptions;
  readonly #connection: ChainConnection;
  readonly #node: JsonRpcClient;
  readonly #checkedNode: JsonRpcClient;
  readonly #resolver: Resolver;
  #submitter: Submitter | undefined;
  #mirror: Mirror | undefined;
  /** Undefined until the node, its chain and the contract have been checked: nothing is read or written before. */
  #verifiedChainId: number | undefined;
  #isClosed = false;
  #reconnectTimer: NodeJS.Timeout | undefined;

  constructor(options: ChainOptions, connection: ChainConnection) {
    const { url, registry } = connection;
    this.#options = options;
    this.#connection = connection;
    this.#node = createJsonRpcClient({ url });
    this.#checkedNode = createJsonRpcClient({ url, timeoutMs: CHECK_TIMEOUT_MS });
    this.#resolver = createResolver({ url, registry });
    const registrations = createRegistrationReader({ url, registry });
    const publicRegistry = createPublicRegistry({ url, registry });
    const readChainId = () => this.#verifiedChainId;
    this.contract = {
      address: getAddress(registry),
      abi: contentRegistryAbi,
      get chainId() {
        return readChainId();
      },
      rpcUrl: options.publicUrl ?? (options.source.kind === 'development' ? withoutPassword(url) : undefined),
    };
    this.registry = {
      resolve: async (fingerprint) => (this.#isVerified() ? this.#resolver.resolve(fingerprint) : undefined),
    };
    this.registrations = {
      read: async (...keys) => (this.#isVerified() ? registrations.read(...keys) : undefined),
    };
    this.publicRegistry = {
      findEntry: async (fingerprint, account) => {
        if (!this.#isVerified()) throw chainUnavailableError(new Error('the chain is not verified yet'));
        return publicRegistry.findEntry(fingerprint, account);
      },
    };
  }

  /** The contract that takes the anchors of the public log; undefined until a node has reported its chain. */
  get logContract(): LogContract | undefined {
    const { logContract: address } = this.#connection;
    const chainId = this.#verifiedChainId;
    return address === undefined || chainId === undefined ? undefined : { chainId, address };
  }

  /** Throws when the node does not respond. */
  async check(): Promise<void> {
    await readChainId(this.#checkedNode);
    if (!this.#isVerified()) throw new Error('the chain is not verified yet');
  }

  health(): ChainHealth {
    return { ...(this.#submitter?.report() ?? noReport), isBreakerOpen: this.#resolver.isBreakerOpen() };
  }

  readBacklog(): Promise<Backlog> {
    return this.#options.queue.readBacklog();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#reconnectTimer);
    await Promise.all([this.#submitter?.stop(), this.#mirror?.stop()]);
  }

  /** Checks the node, its chain and the contract, and starts what reads and writes it. */
  async verifyAndStart(): Promise<void> {
    const { source, queue, log } = this.#options;
    const { url, registry, logContract, writer } = this.#connection;
    const node = this.#node;
    const chainId = await readChainId(node);
    await requireExpectedChain(source, queue, chainId);
    const problem =
      (await findContractProblem(node, registry, writer?.address)) ??
      (logContract && (await findLogContractProblem(node, logContract, writer?.address)));
    if (problem) throw new WrongChainError(problem);
    this.#verifiedChainId = chainId;
    if (writer) await queue.saveRegistry({ chainId, address: registry });
    if (this.#isClosed) return;
    const store = this.#options.mirror;
    const isIndexedLate = source.kind === 'node';
    this.#mirror = store && new Mirror({ store, url, chainId, registry, isIndexedLate, log });
    if (!writer) return;
    const anchoring = logContract && { ...this.#options.anchoring, contract: logContract };
    this.#submitter = new Submitter({ ...this.#options, anchoring, node, chainId, registry, account: writer });
  }

  /** Connects again until the node can be used. Logs each reason once, however long it lasts. */
  retryLater(error: unknown, lastReason = ''): void {
    const { log } = this.#options;
    const reason = nodeErrorMessage(error);
    const problem = error instanceof WrongChainError ? 'nothing is read or written' : 'the node is unavailable';
    if (reason !== lastReason) log('warn', { reason }, `chain: ${problem}`);
    this.#reconnectTimer = setTimeout(async () => {
      try {
        await this.verifyAndStart();
        log('info', {}, 'chain: the node is available');
      } catch (again) {
        if (!this.#isClosed) this.retryLater(again, reason);
      }
    }, RECONNECT_MS).unref();
  }

  #isVerified(): boolean {
    return this.#verifiedChainId !== undefined;
  }
}
