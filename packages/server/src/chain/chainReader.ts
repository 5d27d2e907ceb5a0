// Reads the chain beside a running service, for the audit.

import { createJsonRpcClient, hasCode, nodeErrorMessage, readChainId } from '@provenance-registry/chain-client';
import { RegistryError } from '@provenance-registry/core';
import type { AuditedChain, RegistrationQueue } from '../domain/ports/index.js';
import { type ChainSource, connectionToNode, requireExpectedChain, WrongChainError } from './chainSource.js';
import { findTransactionHash, readEntries } from './curatedEntries.js';
import { openDevelopmentChainForReading } from './developmentChain.js';
import { findContractProblem } from './registryContract.js';

export interface ChainReader extends AuditedChain {
  close(): Promise<void>;
}

/** Uses the development chain of the running service, or starts it when no service runs. */
export async function openChainReader({
  source,
  queue,
}: {
  readonly source: ChainSource;
  readonly queue: Pick<RegistrationQueue, 'listUsedChains'>;
}): Promise<ChainReader> {
  const connection =
    source.kind === 'development' ? await openDevelopmentChainForReading(source) : connectionToNode(source);
  try {
    const node = createJsonRpcClient({ url: connection.url });
    await requireExpectedChain(source, queue, await readChainId(node));
    const { registry } = connection;
    // A new development chain has no registry, and so no entries, before the service has deployed it.
    const isEmpty = source.kind === 'development' && !(await hasCode(node, registry));
    const problem = isEmpty ? undefined : await findContractProblem(node, registry, undefined);
    if (problem) throw new WrongChainError(problem);
    return {
      readEntries: async (fingerprints) =>
        isEmpty ? new Map() : readEntries(node, registry, fingerprints).catch(throwUnavailable),
      findTransactionHash: (fingerprint) => findTransactionHash(node, registry, fingerprint).catch(throwUnavailable),
      close: connection.close,
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function throwUnavailable(error: unknown): never {
  const cause = new Error(nodeErrorMessage(error));
  throw new RegistryError('UNAVAILABLE', 'The chain cannot be reached right now.', { cause });
}
