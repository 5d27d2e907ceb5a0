// Published files on local disk. A file exists completely or not at all, even after a crash or power failure.

import type { Dir } from 'node:fs';
import { mkdir, open, opendir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { RegistryError } from '@provenance-registry/core';
import type { FileStore, ListedFile } from '../domain/ports/index.js';
import { createWorkerPool, type WorkerPool, workerFile } from '../workers/pool.js';
import type { DiskJobs } from './diskWorker.js';
import { DRAFT_SUFFIX, isDraftName, mediaTypeOf, requireMediaType } from './names.js';

/** Writing takes seconds: the writer of an older draft was killed. */
const ABANDONED_AFTER_MS = 3_600_000;
/** Fits one database query and one batch of concurrent `stat` calls. */
const LIST_PAGE_SIZE = 500;
/** Workers mostly wait for the disk. */
const MAX_WORKERS = 4;
/** A busy disk needs seconds. */
const JOB_TIMEOUT_MS = 60_000;
/** Each holds a few files of some kilobytes. */
const MAX_QUEUED_JOBS = 1000;
const IDLE_TIMEOUT_MS = 60_000;

export async function openDiskStore(folder: string): Promise<FileStore> {
  await mkdir(folder, { recursive: true });
  await syncFolder(dirname(folder));
  await removeAbandonedDrafts(folder);
  return new DiskStore(folder);
}

/** Uses an existing folder without changing it. */
export function joinDiskStore(folder: string): FileStore {
  return new DiskStore(folder);
}

class DiskStore implements FileStore {
  readonly #folder: string;
  readonly #syncFolder: () => Promise<void>;
  readonly #pool: WorkerPool<DiskJobs>;

  constructor(folder: string) {
    this.#folder = folder;
    this.#syncFolder = shareRuns(() => syncFolder(folder));
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
    await mapErrors(() => this.#pool.run('publish', { folder: this.#folder, files }));
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const path = this.#pathOf(name);
    return mapErrors(() => readFile(path).catch(ignoreMissing));
  }

  async remove(name: string): Promise<void> {
    const path = isDraftName(name) ? join(this.#folder, name) : this.#pathOf(name);
    await mapErrors(async () => {
      await rm(path, { force: true });
      await this.#syncFolder();
    });
  }

  async *list(): AsyncGenerator<ListedFile[]> {
    const folder = await mapErrors(() => opendir(this.#folder));
    try {
      for (let names = await mapErrors(() => readNextNames(folder)); names.length > 0; ) {
        yield await mapErrors(() => this.#readTimes(names));
        names = await mapErrors(() => readNextNames(folder));
      }
    } finally {
      await folder.close();
    }
  }

  /** Leaves out files that were removed in the meantime. */
  async #readTimes(names: readonly string[]): Promise<ListedFile[]> {
    const entries = names.map(async (name) => {
      const file = await stat(join(this.#folder, name)).catch(ignoreMissing);
      return file ? [{ name, modifiedAt: file.mtime }] : [];
    });
    return (await Promise.all(entries)).flat();
  }

  async check(): Promise<void> {
    await mapErrors(() => this.#pool.run('check', this.#folder));
  }

  #pathOf(name: string): string {
    requireMediaType(name);
    return join(this.#folder, name);
  }
}

async function readNextNames(folder: Dir): Promise<string[]> {
  const names: string[] = [];
  while (names.length < LIST_PAGE_SIZE) {
    const entry = await folder.read();
    if (!entry) break;
    if (entry.isFile() && (mediaTypeOf(entry.name) !== undefined || isDraftName(entry.name))) names.push(entry.name);
  }
  return names;
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

async function removeAbandonedDrafts(folder: string): Promise<void> {
  for (const entry of await readdir(folder)) {
    if (!entry.endsWith(DRAFT_SUFFIX)) continue;
    const draft = join(folder, entry);
    // Its writer or another process may remove it in the meantime.
    const stats = await stat(draft).catch(() => undefined);
    if (stats && Date.now() - stats.mtimeMs > ABANDONED_AFTER_MS) await rm(draft, { force: true });
  }
}

/** A name survives a power failure only after its folder is synced. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Calls that arrive before a run starts share that run. */
function shareRuns(work: () => Promise<void>): () => Promise<void> {
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

async function mapErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new RegistryError('UNAVAILABLE', 'Published files are temporarily unavailable.', { cause: error });
  }
}
