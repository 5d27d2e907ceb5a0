// A few processes that compute perceptual hashes. Untrusted files are decoded in none of the program's own threads: a process can be
// ended whatever native code does in it, has limits of memory, and does not see the program's environment.

import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { limitConcurrency } from '@provenance-registry/core';
import Type from 'typebox';
import { Check } from 'typebox/schema';
import { missingHashReasons, type PerceptualHashes } from '../lookups/perceptualHashes.js';
import type { MediaKind } from './mediaKind.js';

export interface HashJob {
  readonly id: number;
  /** The whole file: a process that opened it by its path might get another one. */
  readonly bytes: Uint8Array;
  readonly kind: MediaKind;
  readonly forSearch: boolean;
}

export interface HashJobResult {
  readonly id: number;
  readonly result: PerceptualHashes;
}

/** Each may need hundreds of megabytes. */
const MAX_PROCESSES = Math.min(4, availableParallelism());
/** Images of 100 megapixels need up to 830 MB. */
const MEMORY_MB = 1024;
const HEAP_MB = 192;
/** The kernel ends a process that has used as much, if its program is gone and it is in an endless loop. */
const CPU_SECONDS = 600;
/** A process has used far less after as many files, and is then replaced. */
const MAX_JOBS = 100;
/** Ending idle processes frees the decoders' memory. */
const IDLE_TIMEOUT_MS = 10_000;

const SHELL = '/bin/sh';
/**
 * Node cannot set the kernel's limits, but a shell can before it becomes Node: no files are written, and CPU time and private
 * memory are limited, not address space, of which WebAssembly reserves gigabytes.
 */
const limitingScript = `{ ulimit -c 0; ulimit -f 0; ulimit -d ${MEMORY_MB * 1024}; ulimit -t ${CPU_SECONDS}; } 2>/dev/null; exec "$0" "$@"`;

const Hash = Type.String({ pattern: '^0x[0-9a-f]{16}$' });
/** What a process sends back is checked: a file may have taken control of it. */
const Message = Type.Union([
  Type.Object({ ready: Type.Literal(true) }),
  Type.Object({
    id: Type.Integer(),
    result: Type.Object({
      hashes: Type.Optional(
        Type.Object({
          pHash: Hash,
          dHash: Hash,
          pHashCenter90: Type.Optional(Hash),
          pHashCenter80: Type.Optional(Hash),
        }),
      ),
      queryHashes: Type.Optional(
        Type.Array(Type.Object({ pHash: Hash, dHash: Type.Optional(Hash) }), { maxItems: 24 }),
      ),
      chromaprint: Type.Optional(Type.String({ pattern: '^AQA[\\w-]+$', maxLength: 32_768 })),
      missing: Type.Optional(Type.Enum(missingHashReasons)),
    }),
  }),
]);

interface HashJobLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

interface QueuedJob {
  readonly job: HashJob;
  readonly timeoutMs: number;
  readonly resolve: (hashes: PerceptualHashes) => void;
}

interface PoolProcess {
  readonly child: ChildProcess;
  isReady: boolean;
  jobs: number;
  current?: (QueuedJob & { readonly timer: NodeJS.Timeout }) | undefined;
  idleTimer?: NodeJS.Timeout | undefined;
}

const pools = new Map<string, HashPool>();

/** No more files in memory than there are processes. */
const inTurn = limitConcurrency(MAX_PROCESSES, Number.POSITIVE_INFINITY, () => new Error('the queue is unlimited'));

/** Never rejects, except with the signal's reason. */
export function runHashJob(
  { read, ...job }: Omit<HashJob, 'id' | 'bytes'> & { readonly read: () => Promise<Uint8Array> },
  { workerFile, ...limits }: HashJobLimits & { readonly workerFile: URL | undefined },
): Promise<PerceptualHashes> {
  const file = workerFile
    ? fileURLToPath(workerFile)
    : createRequire(import.meta.url).resolve('@provenance-registry/client/perceptualHashWorker');
  const pool = pools.get(file) ?? new HashPool(file);
  pools.set(file, pool);
  return inTurn(async () => {
    limits.signal?.throwIfAborted();
    const bytes = await read().catch(() => undefined);
    return bytes ? pool.run({ ...job, bytes }, limits) : { missing: 'unreadable' };
  });
}

/** The processes that run one worker file, and the jobs that wait for one of them. */
class HashPool {
  readonly #queue: QueuedJob[] = [];
  readonly #processes = new Set<PoolProcess>();
  readonly #idle: PoolProcess[] = [];
  #lastJobId = 0;

  constructor(readonly workerFile: string) {}

  run(job: Omit<HashJob, 'id'>, { timeoutMs, signal }: HashJobLimits): Promise<PerceptualHashes> {
    return new Promise((resolve, reject) => {
      this.#lastJobId += 1;
      const abort = () => {
        reject(signal?.reason);
        this.#cancel(queued);
      };
      const finish = (hashes: PerceptualHashes) => {
        signal?.removeEventListener('abort', abort);
        resolve(hashes);
      };
      const queued: QueuedJob = { job: { ...job, id: this.#lastJobId }, timeoutMs, resolve: finish };
      signal?.addEventListener('abort', abort, { once: true });
      const worker = this.#idle.pop() ?? (this.#processes.size < MAX_PROCESSES ? this.#launch() : undefined);
      if (worker) this.#send(worker, queued);
      else this.#queue.push(queued);
    });
  }

  #cancel(queued: QueuedJob): void {
    const position = this.#queue.indexOf(queued);
    if (position >= 0) this.#queue.splice(position, 1);
    for (const worker of this.#processes) if (worker.current?.job === queued.job) this.#discard(worker);
  }

  #launch(): PoolProcess {
    const flags = [`--max-old-space-size=${HEAP_MB}`];
    const isWindows = process.platform === 'win32';
    const child = fork(this.workerFile, {
      ...(existsSync(SHELL)
        ? { execPath: SHELL, execArgv: ['-c', limitingScript, process.execPath, ...flags] }
        : { execArgv: flags }),
      serialization: 'advanced',
      env: isWindows ? { SystemRoot: process.env['SystemRoot'] } : {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // Ctrl-C in a terminal is for the program, which may want to finish its files.
      detached: !isWindows,
    });
    const launched: PoolProcess = { child, isReady: false, jobs: 0 };
    child.on('message', (message) => this.#receive(launched, message));
    child.on('error', () => this.#discard(launched));
    child.on('exit', () => this.#discard(launched));
    this.#processes.add(launched);
    return launched;
  }

  #send(worker: PoolProcess, queued: QueuedJob): void {
    clearTimeout(worker.idleTimer);
    const timer = setTimeout(() => this.#discard(worker), queued.timeoutMs);
    worker.current = { ...queued, timer };
    worker.jobs += 1;
    worker.child.ref();
    worker.child.channel?.ref();
    worker.child.send(queued.job, (error) => error && this.#discard(worker));
  }

  #receive(worker: PoolProcess, message: unknown): void {
    if (!Check(Message, message)) this.#discard(worker);
    else if ('ready' in message) worker.isReady = true;
    else if (worker.current?.job.id === message.id) {
      const { timer, resolve } = worker.current;
      clearTimeout(timer);
      worker.current = undefined;
      this.#continueWith(worker);
      resolve(message.result);
    }
  }

  #continueWith(worker: PoolProcess): void {
    const next = worker.jobs < MAX_JOBS ? this.#queue.shift() : undefined;
    if (next) this.#send(worker, next);
    else if (worker.jobs < MAX_JOBS) this.#rest(worker);
    else this.#discard(worker);
  }

  #rest(worker: PoolProcess): void {
    this.#idle.push(worker);
    // An idle process must not keep the program alive.
    worker.child.unref();
    worker.child.channel?.unref();
    worker.idleTimer = setTimeout(() => this.#discard(worker), IDLE_TIMEOUT_MS).unref();
  }

  /** Ends a process: it crashed, took too long, or is not needed. The jobs after it get a new one. */
  #discard(worker: PoolProcess): void {
    if (!this.#processes.delete(worker)) return;
    const { child, current, isReady, idleTimer } = worker;
    clearTimeout(idleTimer);
    const position = this.#idle.indexOf(worker);
    if (position >= 0) this.#idle.splice(position, 1);
    child.kill('SIGKILL');
    if (current) {
      clearTimeout(current.timer);
      current.resolve({ missing: isReady ? 'unreadable' : 'no-decoder' });
    }
    const next = this.#queue.shift();
    if (next) this.#send(this.#launch(), next);
  }
}
