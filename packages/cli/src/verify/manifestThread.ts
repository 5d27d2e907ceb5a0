// Threads that read manifests. The first one can be started before the command has loaded the rest of what it needs.

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** Most formats have their manifest at the start. */
const START_BYTES = 64 * 1024;
/** The label of every manifest store. */
const MARKER = 'c2pa';

const workerFile = new URL('./manifestWorker.js', import.meta.url);
let waiting: Worker | undefined;

/** Starts a thread if the file seems to have a manifest. Whether it has one is found out later. */
export function startForFile(path: string | Buffer): void {
  try {
    // Pipes must not be read here.
    if (statSync(path).isFile() && readStart(path).includes(MARKER)) waiting ??= createThread();
  } catch {
    // The file cannot be read: the command will say so.
  }
}

export function isThreadWaiting(): boolean {
  return waiting !== undefined;
}

export function takeThread(): Worker {
  const thread = waiting ?? createThread();
  waiting = undefined;
  thread.ref();
  return thread;
}

function createThread(): Worker {
  const thread = new Worker(workerFile);
  // The process may end while a thread is idle.
  thread.unref();
  // A caller that waits for a response listens, too.
  thread.on('error', () => {
    if (waiting === thread) waiting = undefined;
  });
  return thread;
}

function readStart(path: string | Buffer): Buffer {
  const file = openSync(path, 'r');
  try {
    const start = Buffer.alloc(START_BYTES);
    return start.subarray(0, readSync(file, start));
  } finally {
    closeSync(file);
  }
}
