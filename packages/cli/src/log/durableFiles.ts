// Files whose content is replaced as a whole: a process that is killed leaves none that is cut off.

import { open, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode, FileError } from '../errors.js';

/** Undefined: there is no such file. */
export async function readIfThere(path: string, encoding: 'utf8' | 'latin1' = 'utf8'): Promise<string | undefined> {
  try {
    return await readFile(path, encoding);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new FileError(path, error);
  }
}

export interface ReplaceOptions {
  /** Where the content is until it is complete. One that was left behind is overwritten. */
  readonly draft?: string;
  readonly mode?: number;
  /** False: it may be lost when the machine stops. */
  readonly isDurable?: boolean;
}

/** Only one process may write there. The file is readable by its owner alone, unless `mode` says otherwise. */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  { draft = `${path}.partial`, mode = 0o600, isDurable = true }: ReplaceOptions = {},
): Promise<void> {
  try {
    await writeFile(draft, content, { mode, flush: isDurable });
    await rename(draft, path);
    if (isDurable) await syncPath(dirname(path));
  } catch (error) {
    throw new FileError(path, error);
  }
}

/** A file, or the names in a folder: they are on the disk when it resolves. */
export async function syncPath(path: string): Promise<void> {
  const file = await open(path);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
