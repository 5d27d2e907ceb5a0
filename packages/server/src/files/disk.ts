// Published files in a folder of this machine. A file is there whole or not at all, whenever the process or disk stops.

import type { Dir } from 'node:fs';
import { mkdir, open, opendir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { RegistryError } from '@provenance-registry/core';
import type { FileStore, ListedFile } from '../domain/ports/index.js';
import { createWorkerPool, type WorkerPool, workerFile } from '../workers/pool.js';
import type { DiskJobs } from './diskWorker.js';
import { DRAFT_SUFFIX, isDraftName, mediaTypeOf, requireMediaType } from './names.js';

/** Another process may be writing right now. Writing takes seconds; after an hour, whoever wrote was killed. */
const ABANDONED_AFTER_MS = 3_600_000;
/** Enough for one question to the database, and few enough to be looked at together. */
const LISTED_TOGETHER = 500;
/** While one waits for the disk, another writes. */
const MAX_WORKERS = 4;
/** A disk that is busy answers in seconds; one that does not in minutes is away. */
const JOB_TIMEOUT_MS = 60_000;
/** A creation has a few files of some kilobytes each. */
const MAX_QUEUED_JOBS = 1000;
const IDLE_TIMEOUT_MS = 60_000;

export async function openDiskStore(folder: string): Promise<FileStore> {
  await mkdir(folder, { recursive: true });
  await syncFolder(dirname(folder));
  await sweep(folder);
  return new DiskStore(folder);
}

/** For those who look only: a folder that is there, left as it is. */
export function joinDiskStore(folder: string): FileStore {
  return new DiskStore(folder);
}

class DiskStore implements FileStore {
  readonly #folder: string;
  readonly #syncFolder: () => Promise<void>;
  readonly #pool: WorkerPool<DiskJobs>;

  constructor(folder: string) {
    this.#folder = folder;
    this.#syncFolder = shared(() => syncFolder(folder));
    this.#pool = createWorkerPool<DiskJobs>({
      file: workerFile('diskWorker'),
      maxWorkers: Math.min(MAX_WORKERS, availableParallelism()),
      jobTimeoutMs: JOB_TIMEOUT_MS,
      maxQueuedJobs: MAX_QUEUED_JOBS,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
    });
  }

  async publish(files: Readonly<Record<string, Uint8Array>>): Promise<void> {
    for (const name of Object.keys(files)) requireMediaType(name);
    await translated(() => this.#pool.run('publish', { folder: this.#folder, files }));
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const path = this.#pathOf(name);
    return translated(() => readFile(path).catch(unlessMissing));
  }

  async remove(name: string): Promise<void> {
    const path = isDraftName(name) ? join(this.#folder, name) : this.#pathOf(name);
    await translated(async () => {
      await rm(path, { force: true });
      await this.#syncFolder();
    });
  }

  async *list(): AsyncGenerator<ListedFile[]> {
    const folder = await translated(() => opendir(this.#folder));
    try {
      for (let names = await translated(() => nextNames(folder)); names.length > 0; ) {
        yield await translated(() => this.#timesOf(names));
        names = await translated(() => nextNames(folder));
      }
    } finally {
      await folder.close();
    }
  }

  /** Without those that have gone since. */
  async #timesOf(names: readonly string[]): Promise<ListedFile[]> {
    const found = names.map(async (name) => {
      const file = await stat(join(this.#folder, name)).catch(unlessMissing);
      return file ? [{ name, modifiedAt: file.mtime }] : [];
    });
    return (await Promise.all(found)).flat();
  }

  async check(): Promise<void> {
    await translated(() => this.#pool.run('check', this.#folder));
  }

  #pathOf(name: string): string {
    requireMediaType(name);
    return join(this.#folder, name);
  }
}

async function nextNames(folder: Dir): Promise<string[]> {
  const names: string[] = [];
  while (names.length < LISTED_TOGETHER) {
    const entry = await folder.read();
    if (!entry) break;
    if (entry.isFile() && (mediaTypeOf(entry.name) !== undefined || isDraftName(entry.name))) names.push(entry.name);
  }
  return names;
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** Removes what processes left that were killed while they wrote. */
async function sweep(folder: string): Promise<void> {
  for (const entry of await readdir(folder)) {
    if (!entry.endsWith(DRAFT_SUFFIX)) continue;
    const draft = join(folder, entry);
    // Its writer may finish, or another process sweep it, between the look and the removal.
    const found = await stat(draft).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS) await rm(draft, { force: true });
  }
}

/** A name in a folder outlives a power cut only once the folder itself is written. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** One run serves everybody who asked before it began. */
function shared(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= running.then(() => {
      next = undefined;
      const run = work();
      running = run.catch(() => undefined);
      return run;
    });
    return next;
  };
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new RegistryError('UNAVAILABLE', 'Published files cannot be reached right now.', { cause: error });
  }
}
