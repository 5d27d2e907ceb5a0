// The process of the development chain, started by `chainProcess.ts`: the EVM, its journal and its JSON-RPC server.

import { type DevelopmentChain, FolderInUseError, startDevelopmentChain } from '@provenance-registry/dev-chain';
import { Value } from 'typebox/value';
import { workerFile } from '../../workers/pool.js';
import { ChainCommand, type ChainMessage } from './chainMessages.js';

let chain: Promise<DevelopmentChain> | undefined;

// The service decides when the chain ends, also when a signal goes to every process of a terminal or a control group.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
// The service is gone. Everything that a client was told is on disk.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

process.on('message', (message) => {
  const command = Value.Parse(ChainCommand, message);
  if (command.kind === 'close') void chain?.then(({ close }) => close()).then(() => process.exit(0));
  else {
    const replicaFile = workerFile('chainReplicaWorker');
    chain = startDevelopmentChain({ ...command, replicaFile, onFault: reportFault });
    chain.then(({ url }) => report({ kind: 'started', url }), reportFailure);
  }
});

function reportFault(reason: unknown): void {
  report({ kind: 'fault', message: messageOf(reason) });
}

function reportFailure(reason: unknown): void {
  const code = reason instanceof FolderInUseError ? 'FOLDER_IN_USE' : codeOf(reason);
  report({ kind: 'failed', message: messageOf(reason), ...(code !== undefined && { code }) });
}

function report(message: ChainMessage): void {
  process.send?.(message);
}

function messageOf(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  return reason.cause instanceof Error ? `${reason.message} (${reason.cause.message})` : reason.message;
}

function codeOf(reason: unknown): string | undefined {
  return reason instanceof Error && 'code' in reason ? String(reason.code) : undefined;
}
