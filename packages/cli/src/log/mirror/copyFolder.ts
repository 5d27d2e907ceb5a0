// The folder of a copy. A file is on the disk before it gets its name, so that a killed process leaves none that is cut off.

import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode, FileError } from '../../errors.js';

const DRAFTS = '.drafts';

export type CopyFolder = Awaited<ReturnType<typeof openCopyFolder>>;

/** Only one process may write there. Drafts that a killed one has left are removed. */
export async function openCopyFolder(folder: string) {
  const drafts = join(folder, DRAFTS);
  try {
    await rm(drafts, { recursive: true, force: true });
    await mkdir(drafts, { recursive: true });
  } catch (error) {
    throw new FileError(folder, error);
  }

  const orAbsent = <T>(path: string, work: Promise<T>): Promise<T | undefined> =>
    work.catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
      throw new FileError(join(folder, path), error);
    });
  const has = async (path: string) => (await orAbsent(path, stat(join(folder, path)))) !== undefined;

  /** Gives the content its name once it is complete. */
  async function publish(path: string, bytes: Uint8Array | string, isDurable = true): Promise<void> {
    const final = join(folder, path);
    const draft = join(drafts, randomUUID());
    try {
      await mkdir(dirname(final), { recursive: true });
      const file = await open(draft, 'wx');
      try {
        await file.writeFile(bytes);
        if (isDurable) await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, final);
    } catch (error) {
      throw new FileError(final, error);
    }
  }

  return {
    folder,
    read: (path: string): Promise<Buffer | undefined> => orAbsent(path, readFile(join(folder, path))),
    has,
    /** A file that never changes. One that is there was read before, and is the same. */
    async add(path: string, bytes: Uint8Array | string): Promise<void> {
      if (!(await has(path))) await publish(path, bytes);
    },
    replace: (path: string, bytes: Uint8Array | string) => publish(path, bytes),
    /** What is made again of other files at the next start: it may be lost when the machine stops. */
    replaceDerived: (path: string, bytes: Uint8Array) => publish(path, bytes, false),
    async remove(path: string): Promise<void> {
      await rm(join(folder, path), { recursive: true, force: true });
    },
    /** Out of the copy, and kept: what was found in place of a file of the log. */
    async setAside(path: string): Promise<void> {
      const aside = join(folder, 'damaged', path);
      await mkdir(dirname(aside), { recursive: true });
      await rename(join(folder, path), aside);
    },
  };
}
