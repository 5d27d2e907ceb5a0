// The folder of a copy. A file is complete before it gets its name, and on the disk before the checkpoint that covers it.

import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode, FileError, orFileError } from '../../errors.js';
import { replaceFile, syncPath } from '../durableFiles.js';

const DRAFTS = '.drafts';
/** Readable by any server that serves the copy. */
const FILE_MODE = 0o666;
const MAX_OPEN_FILES = 16;
/** Bounds the memory that their names take. */
const MAX_UNSYNCED = 10_000;

export class CopyFolder {
  /** Folders that are there. */
  readonly #folders = new Set<string>();
  /** Files and folders that may still be lost when the machine stops. */
  readonly #unsynced = new Set<string>();
  #draftCount = 0;

  private constructor(readonly path: string) {}

  /** Only one process may write there. Drafts that a killed one has left are removed. */
  static async open(path: string): Promise<CopyFolder> {
    const drafts = join(path, DRAFTS);
    await orFileError(path, rm(drafts, { recursive: true, force: true }));
    await orFileError(path, mkdir(drafts, { recursive: true }));
    return new CopyFolder(path);
  }

  read(name: string): Promise<Buffer | undefined> {
    return this.#orAbsent(name, readFile(join(this.path, name)));
  }

  async has(name: string): Promise<boolean> {
    return (await this.#orAbsent(name, stat(join(this.path, name)))) !== undefined;
  }

  /** Adds a file that never changes. One that is there was read before, and is the same. */
  async add(name: string, bytes: Uint8Array): Promise<void> {
    if (await this.has(name)) return;
    await this.#write(name, bytes, false);
    for (let path = name; path !== '.'; path = dirname(path)) this.#unsynced.add(path);
    if (this.#unsynced.size >= MAX_UNSYNCED) await this.sync();
  }

  /** Files that were added are on the disk when it resolves. */
  async sync(): Promise<void> {
    const paths = [...this.#unsynced].map((name) => join(this.path, name));
    this.#unsynced.clear();
    await forEachParallel(paths, (path) => orFileError(path, syncPath(path)));
  }

  /** The file, and all that were added before, are on the disk when it resolves. */
  async replace(name: string, bytes: Uint8Array | string): Promise<void> {
    await this.sync();
    await this.#write(name, bytes, true);
  }

  /** Changes files that are made again of others at the next start: they may be lost when the machine stops. */
  async updateDerived<T>(
    changes: readonly (readonly [name: string, change: T])[],
    apply: (existing: Uint8Array | undefined, change: T) => Uint8Array,
  ): Promise<void> {
    await forEachParallel(changes, async ([name, change]) => {
      const existing = await this.read(name);
      const bytes = apply(existing, change);
      if (!existing?.equals(bytes)) await this.#write(name, bytes, false);
    });
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.path, name), { recursive: true, force: true });
    this.#folders.delete(name);
  }

  /** Out of the copy, and kept: what was found in place of a file of the log. */
  async setAside(name: string): Promise<void> {
    const aside = join(this.path, 'damaged', name);
    await mkdir(dirname(aside), { recursive: true });
    await rename(join(this.path, name), aside);
    this.#unsynced.delete(name);
  }

  async #write(name: string, bytes: Uint8Array | string, isDurable: boolean): Promise<void> {
    const path = join(this.path, name);
    const folder = dirname(name);
    if (!this.#folders.has(folder)) await orFileError(path, mkdir(dirname(path), { recursive: true }));
    this.#folders.add(folder);
    this.#draftCount += 1;
    const draft = join(this.path, DRAFTS, String(this.#draftCount));
    await replaceFile(path, bytes, { draft, mode: FILE_MODE, isDurable });
  }

  async #orAbsent<T>(name: string, work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
      throw new FileError(join(this.path, name), error);
    }
  }
}

async function forEachParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const next = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: MAX_OPEN_FILES }, next));
}
