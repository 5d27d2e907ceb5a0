// Published files on local disk. A file exists completely or not at all, even after a crash or power failure.

import type { Dir } from 'node:fs';
import { mkdir, open, opendir, readdir, readFile, rm, stat, statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { RegistryError } from '@provenance-registry/core';
import type { FileStore, ListedFile, ServedFiles } from '../domain/ports/index.js';
import { WorkerPool, workerFile } from '../workers/pool.js';
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
/** Publications that one worker writes together. A batch has several times as many, which keep all workers busy. */
const MAX_PUBLISHED_TOGETHER = 16;

type PublishedFiles = Readonly<Record<string, Uint8Array>>;

export async function openDiskStore(folder: string): Promise<FileStore & ServedFiles> {
  await mkdir(folder, { recursive: true });
  await syncFolder(dirname(folder));
  await removeAbandonedDrafts(folder);
  return joinDiskStore(folder);
}

/** The disk that a folder is on; free is what others than root may use. */
export async function readDiskSpace(
  folder: string,
): Promise<{ readonly freeBytes: number; readonly sizeBytes: number }> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
}

/** Uses an existing folder without changing it. */
export function joinDiskStore(folder: string): FileStore & ServedFiles {
  const pool = new WorkerPool<DiskJobs>({
    file: workerFile('diskWorker'),
    maxWorkers: Math.min(MAX_WORKERS, availableParallelism()),
    jobTimeoutMs: JOB_TIMEOUT_MS,
    maxQueuedJobs: MAX_QUEUED_JOBS,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
  });

  function pathOf(name: string): string {
    requireMediaType(name);
    return join(folder, name);
  }

  /** Leaves out files that were removed in the meantime. */
  async function readTimes(names: readonly string[]): Promise<ListedFile[]> {
    const entries = names.map(async (name) => {
      const file = await stat(join(folder, name)).catch(ignoreMissing);
      return file ? [{ name, modifiedAt: file.mtime }] : [];
    });
    return (await Promise.all(entries)).flat();
  }

  /** Those of this turn of the event loop, which are written together: the folder is synced once for all of them. */
  let waiting: { readonly files: PublishedFiles; readonly settle: (done: Promise<void>) => void }[] = [];

  function publishWaiting(): void {
    const publications = waiting;
    waiting = [];
    for (let start = 0; start < publications.length; start += MAX_PUBLISHED_TOGETHER) {
      const together = publications.slice(start, start + MAX_PUBLISHED_TOGETHER);
      const files = Object.assign({}, ...together.map((one) => one.files));
      const done = pool.run('publish', { folder, files });
      for (const { settle } of together) settle(done);
    }
  }

  return {
    async publish(files) {
      for (const name of Object.keys(files)) requireMediaType(name);
      await mapErrors(
        () =>
          new Promise<void>((resolve) => {
            if (waiting.length === 0) setImmediate(publishWaiting);
            waiting.push({ files, settle: resolve });
          }),
      );
    },

    async read(name) {
      const path = pathOf(name);
      return mapErrors(() => readFile(path).catch(ignoreMissing));
    },

    async openStream(name) {
      const path = pathOf(name);
      return mapErrors(async () => {
        const file = await open(path).catch(ignoreMissing);
        return file && { size: (await file.stat()).size, stream: file.createReadStream() };
      });
    },

    async remove(name) {
      const path = isDraftName(name) ? join(folder, name) : pathOf(name);
      await mapErrors(async () => {
        await rm(path, { force: true });
        await syncFolder(folder);
      });
    },

    async *list() {
      const opened = await mapErrors(() => opendir(folder));
      try {
        for (let names = await mapErrors(() => readNextNames(opened)); names.length > 0; ) {
          yield await mapErrors(() => readTimes(names));
          names = await mapErrors(() => readNextNames(opened));
        }
      } finally {
        await opened.close();
      }
    },

    check: () => mapErrors(() => pool.run('check', folder)),
  };
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

export async function removeAbandonedDrafts(folder: string): Promise<void> {
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

async function mapErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new RegistryError('UNAVAILABLE', 'Published files are temporarily unavailable.', { cause: error });
  }
}
