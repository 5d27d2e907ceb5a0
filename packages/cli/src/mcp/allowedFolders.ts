// The files that an agent may name: regular ones in the folders that the user named, wherever symbolic links lead.

import { type FileHandle, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { FileChangedError } from '@provenance-registry/client/node';
import type { Context } from '../context.js';
import { CommandError, FileError, orFileError, UsageError } from '../errors.js';
import { type OpenedFile, openRealFile } from '../walk/openFile.js';
import { toBytePath } from '../walk/paths.js';
import type { FileIdentity } from '../walk/walk.js';

/** Hashed in well under a minute, after which clients stop waiting. The command itself takes larger ones. */
const MAX_FILE_BYTES = 8 * 1024 ** 3;

export interface AllowedFile {
  /** Path as the agent named it. */
  readonly name: string;
  /** Absolute, without symbolic links. */
  readonly path: string;
  readonly size: number;
  /** What is read: the path may lead elsewhere a moment later. */
  readonly handle: FileHandle;
  readonly identity: FileIdentity;
}

export interface AllowedFolders {
  /** Absolute paths, for display. */
  readonly folders: readonly string[];
  /** Opens the file; rejects with CommandError if the agent may not name it. */
  open(name: string): Promise<AllowedFile>;
}

interface Folder {
  readonly path: string;
  readonly realPath: string;
}

/** Defaults to the working directory, unless that would be everything that the user has. */
export async function createAllowedFolders(
  { cwd, env }: Pick<Context, 'cwd' | 'env'>,
  names: readonly string[],
): Promise<AllowedFolders> {
  if (names.length === 0) refuseWideFolder(cwd, env['HOME'] || homedir());
  const folders = await Promise.all((names.length > 0 ? names : ['.']).map((name) => openFolder(cwd, name)));
  const [{ path: base } = { path: cwd }] = folders;

  return {
    folders: folders.map(({ path }) => path),
    async open(name) {
      const named = resolve(base, name);
      // Before the disk is read: an error must not tell which files exist elsewhere.
      const isInside = folders.some(({ path, realPath }) => isAllowed(path, named) || isAllowed(realPath, named));
      if (!isInside) throw notAllowedError(name);
      const path = await orFileError(name, realpath(named));
      if (!folders.some(({ realPath }) => isAllowed(realPath, path))) throw notAllowedError(name);
      const isFile = (await orFileError(name, stat(path))).isFile();
      if (!isFile) throw new CommandError('FILE_PROBLEM', 3, `${name}: not a regular file.`);
      const { handle, identity } = await openAllowed(name, path);
      const { size } = identity;
      if (size <= MAX_FILE_BYTES) return { name, path, size, handle, identity };
      await handle.close();
      throw new CommandError('FILE_TOO_LARGE', 3, `${name}: larger than 8 GiB. Use the command instead of this tool.`);
    },
  };
}

function refuseWideFolder(cwd: string, home: string): void {
  // Clients start servers in such folders if they are not told otherwise.
  if (resolve(cwd, '..') !== cwd && resolve(cwd) !== resolve(home)) return;
  throw new UsageError(`${cwd} is too wide to be the default. Name the folders that the agent may use.`);
}

async function openFolder(cwd: string, name: string): Promise<Folder> {
  const realPath = await orFileError(name, realpath(resolve(cwd, name)));
  const isFolder = (await orFileError(name, stat(realPath))).isDirectory();
  if (!isFolder) throw new UsageError(`${name}: not a folder.`);
  return { path: resolve(cwd, name), realPath };
}

/** Not what has taken the place of the file since its path was checked. */
async function openAllowed(name: string, path: string): Promise<OpenedFile> {
  try {
    return await openRealFile(toBytePath(path));
  } catch (error) {
    throw error instanceof FileChangedError ? notAllowedError(name) : new FileError(name, error);
  }
}

/**
 * Whether a path is below the folder and not hidden in it: keys and passwords usually are, and are short enough to be
 * guessed by their hash.
 */
function isAllowed(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(sep).every((part) => !part.startsWith('.'));
}

function notAllowedError(name: string): CommandError {
  return new CommandError(
    'PATH_NOT_ALLOWED',
    2,
    `${name}: outside the folders that the user named for this server, or hidden in them.`,
  );
}
