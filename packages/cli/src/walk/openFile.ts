// Opens a file that was found or allowed before, and makes sure that it is that one: by now, its path may lead elsewhere.

import { type BigIntStats, constants, readlinkSync } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { FileChangedError } from '@provenance-registry/client/node';
import { errorCode } from '../errors.js';
import { type BytePath, toBytes } from './paths.js';
import { type FileIdentity, toIdentity } from './walk.js';

/** Everything is read from the handle: the path may lead elsewhere a moment later. */
export interface OpenedFile {
  readonly handle: FileHandle;
  readonly identity: FileIdentity;
}

/** A pipe that has taken the name must not keep the program waiting. Windows has neither flag. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens the regular file at an absolute path without symbolic links. Rejects with FileChangedError if a link, another kind of
 * file or a path through a link has taken its place.
 */
export async function openRealFile(path: BytePath): Promise<OpenedFile> {
  const handle = await open(toBytes(path), FLAGS).catch((error: unknown) => {
    throw errorCode(error) === 'ELOOP' ? movedError() : error;
  });
  try {
    const stats = await handle.stat({ bigint: true });
    // What was opened is compared: a check before the opening would be of what was there then.
    if (!stats.isFile() || !(await isAt(path, handle, stats))) throw movedError();
    return { handle, identity: toIdentity(stats) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Linux tells the path of a handle. Elsewhere, the path is looked up again, and must lead to the same file. */
async function isAt(path: BytePath, handle: FileHandle, { dev, ino }: BigIntStats): Promise<boolean> {
  const opened = readHandlePath(handle);
  if (opened !== undefined) return opened === path;
  const named = await lstat(toBytes(path), { bigint: true });
  return named.dev === dev && named.ino === ino && (await realpath(toBytes(path), { encoding: 'latin1' })) === path;
}

function readHandlePath({ fd }: FileHandle): BytePath | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`, 'latin1');
  } catch {
    return undefined;
  }
}

function movedError(): FileChangedError {
  return new FileChangedError('Its path leads to another file by now.');
}
