// Where a watched folder really is, and which others are inside it.

import { realpath, stat } from 'node:fs/promises';
import { errorCode, systemReason } from '../errors.js';
import { type BytePath, isWithin } from '../walk/paths.js';

export interface FolderRoot {
  /** The path after symbolic links were followed. */
  readonly path: BytePath;
  /** Other watched folders inside it: the innermost of nested folders decides about its files. */
  readonly innerFolders: readonly BytePath[];
}

/** Returns a reason for people while the folder cannot be watched. */
export async function findFolderRoot(folder: string, allFolders: readonly string[]): Promise<FolderRoot | string> {
  try {
    if (!(await stat(folder)).isDirectory()) return 'it is not a folder';
    const path = await resolveLinks(folder);
    const others = await Promise.all(
      allFolders.filter((other) => other !== folder).map(async (name) => ({ name, path: await tryResolve(name) })),
    );
    // Links can give one folder two names. The first name counts.
    const same = others.find((other) => other.path === path && other.name < folder);
    if (same) return `it is the same folder as ${same.name}, which is watched already`;
    const inner = others.flatMap((other) => (other.path !== undefined && other.path !== path ? [other.path] : []));
    return { path, innerFolders: inner.filter((other) => isWithin(other, path)) };
  } catch (error) {
    const isMissing = errorCode(error) === 'ENOENT';
    return isMissing ? 'it is missing: renamed, or on a drive that is not mounted' : systemReason(error);
  }
}

function resolveLinks(folder: string): Promise<BytePath> {
  return realpath(folder, { encoding: 'latin1' });
}

async function tryResolve(folder: string): Promise<BytePath | undefined> {
  return resolveLinks(folder).catch(() => undefined);
}
