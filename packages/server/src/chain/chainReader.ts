// Reads the chain beside a running service, for the audit and for other commands.

import {
  createJsonRpcClient,
  hasCode,
  type JsonRpcClient,
  nodeErrorMessage,
  readBlock,
  readBlockNumber,
  readChainId,
  readRegistryEventSpans,
} from '@provenance-registry/chain-client';
import { RegistryError } from '@provenance-registry/core';
import type {
  AuditedChain,
  AuditedMirror,
  ChainOutbox,
  Hex,
  LoggedEntry,
  MirrorRows,
  RecoveryChain,
} from '../domain/ports/index.js';
import { type ChainSource, connectionToNode, requireExpectedChain, WrongChainError } from './chainSource.js';
import { findTransactionHash, readEntries } from './curatedEntries.js';
import { openDevelopmentChainForReading } from './development/developmentChain.js';
import { findFirstBlock } from './mirror/firstBlock.js';
import { createMirrorAudit } from './mirror/mirrorAudit.js';
import { findContractProblem } from './registryContract.js';

export interface ChainReaderOptions {
  readonly source: ChainSource;
  readonly queue: Pick<ChainOutbox, 'listUsedChains'>;
}

export interface CheckedChain {
  /** May contain a password. */
  readonly url: string;
  readonly node: JsonRpcClient;
  readonly chainId: number;
  readonly registry: Hex;
  /** A new development chain has no registry, and so no entries, before the service has deployed it. */
  readonly isEmpty: boolean;
  close(): Promise<void>;
}

/** Uses the development chain of the running service, or starts it when no service runs. */
export async function connectToChain({ source, queue }: ChainReaderOptions): Promise<CheckedChain> {
  const connection =
    source.kind === 'development' ? await openDevelopmentChainForReading(source) : connectionToNode(source);
  const { url, registry, close } = connection;
  try {
    const node = createJsonRpcClient({ url });
    const chainId = await readChainId(node);
    await requireExpectedChain(source, queue, chainId);
    const isEmpty = source.kind === 'development' && !(await hasCode(node, registry));
    const problem = isEmpty ? undefined : await findContractProblem(node, registry, undefined);
    if (problem) throw new WrongChainError(problem);
    return { url, node, chainId, registry, isEmpty, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export interface ChainReader extends AuditedChain, RecoveryChain {
  readonly mirror: AuditedMirror;
  close(): Promise<void>;
}

/** `rows`: what is mirrored of the chain. */
export async function openChainReader(options: ChainReaderOptions, rows: MirrorRows): Promise<ChainReader> {
  const chain = await connectToChain(options);
  const { node, registry, isEmpty, close } = chain;
  const mirror = createMirrorAudit(chain, rows);
  return {
    readEntries: async (fingerprints) =>
      isEmpty ? new Map() : readEntries(node, registry, fingerprints).catch(throwUnavailable),
    findTransactionHash: (fingerprint) => findTransactionHash(node, registry, fingerprint).catch(throwUnavailable),
    listLoggedEntries: () => (isEmpty ? noEntries() : listLoggedEntries(node, registry)),
    async readBlockTime(blockNumber) {
      const block = await readBlock(node, blockNumber).catch(throwUnavailable);
      if (!block) throw new RegistryError('UNAVAILABLE', `The node does not have block ${blockNumber}.`);
      return new Date(Number(block.timestamp) * 1000);
    },
    mirror: {
      ...mirror,
      compare: async (fingerprints) => (isEmpty ? [] : mirror.compare(fingerprints).catch(throwUnavailable)),
      repair: (fingerprint) => mirror.repair(fingerprint).catch(throwUnavailable),
    },
    close,
  };
}

async function* noEntries(): AsyncGenerator<readonly LoggedEntry[]> {}

async function* listLoggedEntries(node: JsonRpcClient, registry: Hex): AsyncGenerator<readonly LoggedEntry[]> {
  try {
    const head = await readBlockNumber(node);
    const from = await findFirstBlock(node, registry, head);
    for await (const events of readRegistryEventSpans(node, registry, { from, to: head })) {
      yield events.filter((event) => event.kind === 'curated');
    }
  } catch (error) {
    throwUnavailable(error);
  }
}

function throwUnavailable(error: unknown): never {
  const cause = new Error(nodeErrorMessage(error));
  throw new RegistryError('UNAVAILABLE', 'The chain cannot be reached right now.', { cause });
}
