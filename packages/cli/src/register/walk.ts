// Finds the files to register: those that were named, and everything in the folders that were named. Links are followed
// only when they were named, and no folder is entered twice: a walk always ends.

import type { BigIntStats } from 'node:fs';
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { systemReason } from '../errors.js';
import type { Path } from '../paths.js';
import { IGNORE_FILE, type IgnoreRules } from './ignoreRules.js';
import { type BytePath, bytePath, bytesOf, folderOf, join, nameOf, textOf } from './paths.js';

/** Tells whether a file is still the one that was looked at before. */
export interface Identity {
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly ino: bigint;
}

export interface FoundFile {
  readonly kind: 'file';
  /** Absolute, without links on the way. */
  readonly path: BytePath;
  /** As people know it: it begins as they named it. */
  readonly shown: string;
  readonly identity: Identity;
}

/** `skipped`: nothing that could be registered. `unreadable`: it might be, but cannot be looked at. */
export interface NotFile {
  readonly kind: 'skipped' | 'unreadable';
  readonly shown: string;
  readonly reason: string;
}

export type Found = FoundFile | NotFile;

export interface Folder {
  readonly path: BytePath;
  readonly shown: BytePath;
}

/** What was named on the command line, as it is now. */
export interface Named {
  readonly folders: readonly Folder[];
  readonly others: readonly Found[];
}

export interface Walk {
  readonly paths: readonly Path[];
  readonly rules: IgnoreRules;
  /** Folders that are never entered. */
  readonly closed: readonly BytePath[];
  /** Told of every folder with something that is looked at. */
  readonly onFolder?: (path: BytePath) => void;
}

/** Why a link is skipped. */
export const LINK = 'a symbolic link';

/** So many files are looked at together: one by one, each would wait for the system on its own. */
const LOOKS_AT_ONCE = 32;
/** What people write has a thousandth of it. */
const MAX_IGNORE_FILE_BYTES = 1024 * 1024;

export function isSame(one: Identity, two: Identity): boolean {
  return one.size === two.size && one.mtimeNs === two.mtimeNs && one.ino === two.ino;
}

/** Of the file that is at the path now. */
export async function identify(path: BytePath): Promise<Identity> {
  return identityOf(await stat(bytesOf(path), { bigint: true }));
}

export async function findNamed(paths: readonly Path[]): Promise<Named> {
  const folders = new Map<string, Folder>();
  const others = new Map<BytePath, Found>();
  for (const { path: given, name: shown } of paths) {
    const path = typeof given === 'string' ? bytePath(given) : given.toString('latin1');
    try {
      const stats = await stat(bytesOf(path), { bigint: true });
      if (stats.isDirectory()) {
        folders.set(idOf(stats), { path: await real(path), shown: path.replace(/(?<=.)\/+$/, '') });
        continue;
      }
      // A link that was named keeps its own name, in its own folder.
      const own = join(await real(path.includes('/') ? folderOf(path) : '.'), nameOf(path));
      others.set(own, stats.isFile() ? fileFound(own, shown, stats) : notFile('unreadable', shown, kindOf(stats)));
    } catch (error) {
      others.set(path, notFile('unreadable', shown, systemReason(error)));
    }
  }
  return { folders: [...folders.values()], others: [...others.values()] };
}

export async function* walk({ paths, rules, closed, onFolder }: Walk): AsyncGenerator<Found> {
  const named = await findNamed(paths);
  // What was named has its own turn, and is not found a second time inside something else.
  const entered = await idsOf([...named.folders.map(({ path }) => path), ...closed]);
  const namedFiles = new Set(named.others.flatMap((found) => (found.kind === 'file' ? [found.path] : [])));

  /** `relative` is the way from where the rules begin. */
  async function* inFolder(folder: Folder, relative: BytePath, outer: IgnoreRules): AsyncGenerator<Found> {
    onFolder?.(folder.path);
    const listed = await listFolder(folder.path);
    if ('reason' in listed) return yield notFile('unreadable', textOf(folder.shown), listed.reason);
    const inner = outer.within(textOf(relative), listed.ignoreText);
    for await (const { name, stats } of looks(folder.path, listed.names)) {
      const at = { path: join(folder.path, name), shown: join(folder.shown, name) };
      yield* entry(at, relative === '' ? name : `${relative}/${name}`, stats, inner);
    }
  }

  async function* entry(at: Folder, relative: BytePath, stats: BigIntStats | Error, inner: IgnoreRules) {
    const shown = textOf(at.shown);
    const isFolder = !(stats instanceof Error) && stats.isDirectory();
    if (inner.leavesOut(textOf(isFolder ? `${relative}/` : relative)) || namedFiles.has(at.path)) return;
    if (stats instanceof Error) yield notFile('unreadable', shown, systemReason(stats));
    else if (stats.isFile()) yield fileFound(at.path, shown, stats);
    else if (!isFolder) yield notFile('skipped', shown, kindOf(stats));
    else if (!entered.has(idOf(stats))) {
      entered.add(idOf(stats));
      yield* inFolder(at, relative, inner);
    }
  }

  for (const found of named.others) {
    if (found.kind === 'file') onFolder?.(folderOf(found.path));
    yield found;
  }
  for (const folder of named.folders) yield* inFolder(folder, '', rules);
}

interface Listed {
  readonly names: readonly BytePath[];
  readonly ignoreText: string | undefined;
}

async function listFolder(path: BytePath): Promise<Listed | { readonly reason: string }> {
  try {
    const names = (await readdir(bytesOf(path), { encoding: 'latin1' })).sort();
    if (!names.includes(IGNORE_FILE)) return { names, ignoreText: undefined };
    const ignoreText = await readIgnoreFile(join(path, IGNORE_FILE));
    // Without its rules, files would be registered that were never meant to be.
    return ignoreText === undefined ? { reason: `the ${IGNORE_FILE} in it cannot be read` } : { names, ignoreText };
  } catch (error) {
    return { reason: systemReason(error) };
  }
}

async function readIgnoreFile(path: BytePath): Promise<string | undefined> {
  try {
    const stats = await stat(bytesOf(path));
    if (!stats.isFile() || stats.size > MAX_IGNORE_FILE_BYTES) return undefined;
    return await readFile(bytesOf(path), 'utf8');
  } catch {
    return undefined;
  }
}

async function* looks(folder: BytePath, names: readonly BytePath[]) {
  for (let start = 0; start < names.length; start += LOOKS_AT_ONCE) {
    const some = names.slice(start, start + LOOKS_AT_ONCE);
    yield* await Promise.all(some.map(async (name) => ({ name, stats: await look(join(folder, name)) })));
  }
}

async function look(path: BytePath): Promise<BigIntStats | Error> {
  try {
    return await lstat(bytesOf(path), { bigint: true });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function idsOf(paths: readonly BytePath[]): Promise<Set<string>> {
  const all = await Promise.all(paths.map(look));
  return new Set(all.flatMap((stats) => (stats instanceof Error ? [] : [idOf(stats)])));
}

function real(path: BytePath): Promise<BytePath> {
  return realpath(bytesOf(path), { encoding: 'latin1' });
}

function idOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

function identityOf({ size, mtimeNs, ino }: BigIntStats): Identity {
  return { size: Number(size), mtimeNs, ino };
}

function fileFound(path: BytePath, shown: string, stats: BigIntStats): FoundFile {
  return { kind: 'file', path, shown, identity: identityOf(stats) };
}

function notFile(kind: NotFile['kind'], shown: string, reason: string): NotFile {
  return { kind, shown, reason };
}

function kindOf(stats: BigIntStats): string {
  if (stats.isSymbolicLink()) return LINK;
  if (stats.isFIFO()) return 'a pipe';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}
