// Small files of state, whose content is replaced as a whole.

import { open, readFile, rename } from 'node:fs/promises';
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

/** Durable when it resolves. Only one process may write there: a draft that was left behind is overwritten. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.partial`;
  try {
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
    const parent = await open(dirname(path));
    try {
      await parent.sync();
    } finally {
      await parent.close();
    }
  } catch (error) {
    throw new FileError(path, error);
  }
}
