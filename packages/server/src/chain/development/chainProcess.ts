// Runs the development chain in a child process, so that nothing that is sent to it can stop the service. A process that
// exceeds its memory, crashes or no longer responds is replaced: its journal has everything that a client was told.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createJsonRpcClient, readChainId } from '@provenance-registry/chain-client';
import { FolderInUseError, ownUrl, startLimitedProcess } from '@provenance-registry/dev-chain';
import { Value } from 'typebox/value';
import { workerFile } from '../../workers/pool.js';
import { type ChainCommand, ChainMessage } from './chainMessages.js';

export interface ChainProcess {
  /** Address for the service's own calls: contains a password. */
  readonly url: string;
  close(): Promise<void>;
}

export interface ChainProcessOptions extends Omit<Extract<ChainCommand, { kind: 'start' }>, 'kind'> {
  /** Called when the chain accepts no transactions for now, and when its process has to be replaced. */
  readonly onFault: (error: unknown) => void;
}

/** A block of the largest registrations takes about a third; the EVM remembers every step of a block while it is mined. */
const MAX_MEMORY_BYTES = 3 * 2 ** 30;
/** Between checks whether the chain responds. */
const CHECK_INTERVAL_MS = 5_000;
/** The largest block takes a few seconds. */
const CHECK_TIMEOUT_MS = 30_000;
/** Between attempts to replace a process. */
const RESTART_DELAY_MS = 1_000;
/** Then the process is killed, which loses nothing. */
const CLOSE_TIMEOUT_MS = 2_000;

/** Rejects with FolderInUseError when another process runs the chain of this folder. */
export async function startChainProcess({ onFault, ...options }: ChainProcessOptions): Promise<ChainProcess> {
  let { child, url } = await launch(options, onFault);
  // The port that was chosen, if any was allowed: clients know the URL.
  const restartOptions = { ...options, port: Number(new URL(url).port) };
  const own = ownUrl(url, options.token);
  const node = createJsonRpcClient({ url: own, timeoutMs: CHECK_TIMEOUT_MS });
  let isClosing = false;

  function watch(): void {
    const timer = setInterval(() => {
      const checked = child;
      readChainId(node).catch(() => checked === child && child.kill('SIGKILL'));
    }, CHECK_INTERVAL_MS).unref();
    child.once('exit', (code, signal) => {
      clearInterval(timer);
      if (!isClosing) void replace(new Error(`The process of the development chain ended (${signal ?? code}).`));
    });
  }

  async function replace(reason: Error): Promise<void> {
    onFault(reason);
    for (let lastMessage = ''; !isClosing; await delay(RESTART_DELAY_MS, undefined, { ref: false })) {
      try {
        ({ child } = await launch(restartOptions, onFault));
        if (isClosing) child.kill('SIGKILL');
        else watch();
        return;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        if (message !== lastMessage) onFault(error);
        lastMessage = message;
      }
    }
  }
  watch();

  return {
    url: own,
    async close() {
      isClosing = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      send(child, { kind: 'close' });
      const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_TIMEOUT_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Resolves when the chain is ready. */
async function launch(
  options: Omit<ChainProcessOptions, 'onFault'>,
  onFault: (error: unknown) => void,
): Promise<{ child: ChildProcess; url: string }> {
  const child = startLimitedProcess({
    file: workerFile('developmentChainWorker'),
    maxMemoryBytes: MAX_MEMORY_BYTES,
    detached: true,
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error('The process of the development chain ended while it was starting.')));
    child.on('message', (value) => {
      const message = Value.Parse(ChainMessage, value);
      if (message.kind === 'started') resolve(message.url);
      else if (message.kind === 'fault') onFault(new Error(message.message));
      else {
        child.kill('SIGKILL');
        reject(startError(message.message, message.code));
      }
    });
    send(child, { kind: 'start', ...options });
  });
  // The chain alone does not keep the service running.
  child.unref();
  child.channel?.unref();
  return { child, url };
}

function send(child: ChildProcess, command: ChainCommand): void {
  // When the process has ended, its exit is reported.
  child.send(command, () => {});
}

function startError(message: string, code: string | undefined): Error {
  return code === 'FOLDER_IN_USE' ? new FolderInUseError(message) : Object.assign(new Error(message), { code });
}
