// A few processes that compute codes. Untrusted files are decoded in none of the program's own threads: a process can be
// ended whatever native code does in it, has limits of memory, and does not see the program's environment.

import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import Type from 'typebox';
import { Check } from 'typebox/schema';
import { type FileCodes, missingCodes } from '../fileCodes.js';
import type { MediaKind } from './mediaKind.js';

export interface CodesJob {
  readonly id: number;
  readonly content: { readonly path: string | Uint8Array } | { readonly bytes: Uint8Array };
  readonly kind: MediaKind;
  readonly questions: boolean;
}

export interface CodesJobResult {
  readonly id: number;
  readonly result: FileCodes;
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

const Code = Type.String({ pattern: '^0x[0-9a-f]{16}$' });
/** What a process sends back is checked: a file may have taken control of it. */
const Message = Type.Union([
  Type.Object({ ready: Type.Literal(true) }),
  Type.Object({
    id: Type.Integer(),
    result: Type.Object({
      codes: Type.Optional(
        Type.Object({
          pHash: Code,
          dHash: Code,
          pHashCenter90: Type.Optional(Code),
          pHashCenter80: Type.Optional(Code),
        }),
      ),
      questions: Type.Optional(Type.Array(Type.Object({ pHash: Code, dHash: Type.Optional(Code) }), { maxItems: 24 })),
      chromaprint: Type.Optional(Type.String({ pattern: '^AQA[\\w-]+$', maxLength: 32_768 })),
      missing: Type.Optional(Type.Enum(missingCodes)),
    }),
  }),
]);

interface QueuedJob {
  readonly job: CodesJob;
  readonly timeoutMs: number;
  readonly resolve: (codes: FileCodes) => void;
}

interface PoolProcess {
  readonly child: ChildProcess;
  isReady: boolean;
  jobs: number;
  current?: (QueuedJob & { readonly timer: NodeJS.Timeout }) | undefined;
  idleTimer?: NodeJS.Timeout | undefined;
}

let workerFile: URL | string | undefined;
let lastJobId = 0;
const queue: QueuedJob[] = [];
const processes = new Set<PoolProcess>();
const idle: PoolProcess[] = [];

/** Ends idle processes of another file. */
export function useWorkerFile(file: URL): void {
  if (workerFile === file) return;
  workerFile = file;
  for (const worker of [...idle]) discard(worker);
}

/** Never rejects, except with the signal's reason. */
export function runCodesJob(
  job: Omit<CodesJob, 'id'>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<FileCodes> {
  return new Promise((resolve, reject) => {
    lastJobId += 1;
    const abort = () => {
      reject(signal?.reason);
      cancel(queued);
    };
    const finish = (codes: FileCodes) => {
      signal?.removeEventListener('abort', abort);
      resolve(codes);
    };
    const queued: QueuedJob = { job: { ...job, id: lastJobId }, timeoutMs, resolve: finish };
    signal?.addEventListener('abort', abort, { once: true });
    const worker = idle.pop() ?? (processes.size < MAX_PROCESSES ? launch() : undefined);
    if (worker) send(worker, queued);
    else queue.push(queued);
  });
}

function cancel(queued: QueuedJob): void {
  const position = queue.indexOf(queued);
  if (position >= 0) queue.splice(position, 1);
  for (const worker of processes) if (worker.current?.job === queued.job) discard(worker);
}

function launch(): PoolProcess {
  workerFile ??= createRequire(import.meta.url).resolve('@provenance-registry/client/codesWorker');
  const flags = [`--max-old-space-size=${HEAP_MB}`];
  const isWindows = process.platform === 'win32';
  const child = fork(workerFile, {
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
  child.on('message', (message) => receive(launched, message));
  child.on('error', () => discard(launched));
  child.on('exit', () => discard(launched));
  processes.add(launched);
  return launched;
}

function send(worker: PoolProcess, queued: QueuedJob): void {
  clearTimeout(worker.idleTimer);
  const timer = setTimeout(() => discard(worker), queued.timeoutMs);
  worker.current = { ...queued, timer };
  worker.jobs += 1;
  worker.child.ref();
  worker.child.channel?.ref();
  worker.child.send(queued.job, (error) => error && discard(worker));
}

function receive(worker: PoolProcess, message: unknown): void {
  if (!Check(Message, message)) discard(worker);
  else if ('ready' in message) worker.isReady = true;
  else if (worker.current?.job.id === message.id) {
    const { timer, resolve } = worker.current;
    clearTimeout(timer);
    worker.current = undefined;
    continueWith(worker);
    resolve(message.result);
  }
}

function continueWith(worker: PoolProcess): void {
  const next = worker.jobs < MAX_JOBS ? queue.shift() : undefined;
  if (next) send(worker, next);
  else if (worker.jobs < MAX_JOBS) rest(worker);
  else discard(worker);
}

function rest(worker: PoolProcess): void {
  idle.push(worker);
  // An idle process must not keep the program alive.
  worker.child.unref();
  worker.child.channel?.unref();
  worker.idleTimer = setTimeout(() => discard(worker), IDLE_TIMEOUT_MS).unref();
}

/** Ends a process: it crashed, took too long, or is not needed. The jobs after it get a new one. */
function discard(worker: PoolProcess): void {
  if (!processes.delete(worker)) return;
  const { child, current, isReady, idleTimer } = worker;
  clearTimeout(idleTimer);
  const position = idle.indexOf(worker);
  if (position >= 0) idle.splice(position, 1);
  child.kill('SIGKILL');
  if (current) {
    clearTimeout(current.timer);
    current.resolve({ missing: isReady ? 'unreadable' : 'no-decoder' });
  }
  const next = queue.shift();
  if (next) send(launch(), next);
}
