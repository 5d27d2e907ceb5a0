// The published files of the log on local disk. A file exists completely or not at all, and is never replaced.

import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RegistryError } from '@provenance-registry/core';
import type { CheckpointName, LogFile, LogFiles } from '../domain/ports/index.js';
import { removeAbandonedDrafts } from './disk.js';
import { CHECKPOINT_PATH, DRAFT_SUFFIX } from './names.js';

/** The caller keeps other writers of the checkpoint away: a disk cannot compare and replace. */
export async function openLogDisk(folder: string): Promise<LogFiles> {
  await createFolder(folder);
  await removeAbandonedDrafts(folder);
  const pathOf = (path: string) => join(folder, path);
  const read = (path: string) => readFile(pathOf(path)).catch(ignoreMissing);

  async function readCheckpoint(name: CheckpointName) {
    const bytes = await read(name);
    const text = bytes?.toString('utf8');
    return text === undefined ? undefined : { text, version: text };
  }

  /** A durable file with a name of its own, in a folder that exists. */
  async function writeDraft({ path, bytes }: LogFile): Promise<string> {
    const draft = join(folder, `${randomUUID()}${DRAFT_SUFFIX}`);
    await createFolder(dirname(pathOf(path)));
    try {
      const file = await open(draft, 'wx', 0o644);
      try {
        await file.writeFile(bytes);
        await file.datasync();
      } finally {
        await file.close();
      }
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    return draft;
  }

  /** False if the file exists with other bytes. */
  async function writeFileOnce(file: LogFile): Promise<boolean> {
    const draft = await writeDraft(file);
    try {
      await link(draft, pathOf(file.path));
      return true;
    } catch (error) {
      if (!isExisting(error)) throw error;
      return Buffer.compare(await readFile(pathOf(file.path)), file.bytes) === 0;
    } finally {
      await rm(draft, { force: true });
    }
  }

  return {
    read: (path) => mapErrors(() => read(path)),

    writeOnce: (files) =>
      mapErrors(async () => {
        const written = await settle(files.map(writeFileOnce));
        await settle([...new Set(files.map(({ path }) => dirname(pathOf(path))))].map(syncFolder));
        return files[written.indexOf(false)]?.path;
      }),

    replace: (file) =>
      mapErrors(async () => {
        await rename(await writeDraft(file), pathOf(file.path));
        await syncFolder(dirname(pathOf(file.path)));
      }),

    readCheckpoint: (name = CHECKPOINT_PATH) => mapErrors(() => readCheckpoint(name)),

    replaceCheckpoint: (text, previous, name = CHECKPOINT_PATH) =>
      mapErrors(async () => {
        const draft = await writeDraft({ path: name, bytes: Buffer.from(text) });
        if ((await readCheckpoint(name))?.version !== previous?.version) {
          await rm(draft, { force: true });
          return false;
        }
        await rename(draft, pathOf(name));
        await syncFolder(folder);
        return true;
      }),

    async findFlaw() {
      return undefined;
    },
  };
}

/** Waits for all of them, also when one has failed: nothing is written later. */
async function settle<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

/** New folders survive a power failure only after those that contain them are synced. */
async function createFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let created = folder; created.length >= first.length; created = dirname(created)) {
    await syncFolder(dirname(created));
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

async function mapErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new RegistryError('UNAVAILABLE', 'The files of the log are temporarily unavailable.', { cause: error });
  }
}
