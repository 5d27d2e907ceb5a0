// Finds files: the named ones, and all files in the named folders. Symbolic links are followed only if they are named,
// and no folder is entered twice, so a walk always ends.

import type { BigIntStats } from 'node:fs';
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import type { ArgumentPath } from '../argumentPaths.js';
import { systemReason } from '../errors.js';
import { IGNORE_FILE, type IgnoreRules } from './ignoreRules.js';
import { type BytePath, baseName, joinPath, parentFolder, toBytePath, toBytes, toText } from './paths.js';

/** A file with the same identity is taken to be unchanged. */
export interface FileIdentity {
  readonly size: number;
  readonly mtimeNs: bigint;
  readonly ino: bigint;
  /** When the file was created; 0 or undefined if not known. Stays the same when the file is renamed. */
  readonly birthtimeNs?: bigint | undefined;
}

export interface FileEntry {
  readonly kind: 'file';
  /** Absolute, without symbolic links in its folders. */
  readonly path: BytePath;
  /** Starts as the user named it. */
  readonly displayPath: string;
  readonly identity: FileIdentity;
  /** Where the path leads, if it is a symbolic link that the user named. Other links are not followed. */
  readonly target?: BytePath;
}

/** `skipped`: nothing that can be registered. `unreadable`: might be registered, but cannot be read. */
export interface NonFileEntry {
  readonly kind: 'skipped' | 'unreadable';
  readonly displayPath: string;
  readonly reason: string;
}

export type WalkEntry = FileEntry | NonFileEntry;

export interface Folder {
  readonly path: BytePath;
  readonly displayPath: BytePath;
}

export interface WalkOptions {
  readonly paths: readonly ArgumentPath[];
  readonly rules: IgnoreRules;
  readonly excludedFolders: readonly BytePath[];
  /** Called for every folder that is walked or contains a named file. */
  readonly onFolder?: (path: BytePath) => void;
}

export const SYMBOLIC_LINK = 'symbolic link';

/** Parallel lstat calls: one at a time, each would wait for the system on its own. */
const PARALLEL_LSTATS = 32;
const MAX_IGNORE_FILE_BYTES = 1024 * 1024;

export function isSameIdentity(one: FileIdentity | undefined, two: FileIdentity): boolean {
  return one?.size === two.size && one.mtimeNs === two.mtimeNs && one.ino === two.ino;
}

/** What has the name of the file now, also if that is a link. */
export async function readFileIdentity({ path, target = path }: FileEntry): Promise<FileIdentity> {
  return toIdentity(await lstat(toBytes(target), { bigint: true }));
}

/** What the paths on the command line lead to. */
export async function resolveNamedPaths(paths: readonly ArgumentPath[]) {
  const folders = new Map<string, Folder>();
  const others = new Map<BytePath, WalkEntry>();
  for (const { path: argument, name } of paths) {
    const path = typeof argument === 'string' ? toBytePath(argument) : argument.toString('latin1');
    try {
      const stats = await stat(toBytes(path), { bigint: true });
      if (stats.isDirectory()) {
        const displayPath = toBytePath(name).replace(/(?<=.)\/+$/, '');
        folders.set(inodeId(stats), { path: await resolveLinks(path), displayPath });
        continue;
      }
      // A named link keeps its own name in its own folder.
      const ownPath = joinPath(await resolveLinks(parentFolder(path)), baseName(path));
      const entry = stats.isFile()
        ? withTarget(toFileEntry(ownPath, name, stats), await resolveLinks(path))
        : toNonFileEntry('unreadable', name, describeKind(stats));
      others.set(ownPath, entry);
    } catch (error) {
      others.set(path, toNonFileEntry('unreadable', name, systemReason(error)));
    }
  }
  return { folders: [...folders.values()], others: [...others.values()] };
}

export async function* walk({ paths, rules, excludedFolders, onFolder }: WalkOptions): AsyncGenerator<WalkEntry> {
  const named = await resolveNamedPaths(paths);
  // Named files and folders are visited on their own, not a second time inside other folders.
  const enteredInodes = await readInodeIds([...named.folders.map(({ path }) => path), ...excludedFolders]);
  const namedFiles = new Set(named.others.flatMap((entry) => (entry.kind === 'file' ? [entry.path] : [])));

  /** `relative` is the path from the named folder, where the ignore rules start. */
  async function* walkFolder(folder: Folder, relative: BytePath, outerRules: IgnoreRules): AsyncGenerator<WalkEntry> {
    onFolder?.(folder.path);
    const listing = await listFolder(folder.path);
    if ('reason' in listing) return yield toNonFileEntry('unreadable', toText(folder.displayPath), listing.reason);
    const folderRules = outerRules.forFolder(toText(relative), listing.ignoreFileText);
    for await (const { name, stats } of lstatAll(folder.path, listing.names)) {
      const location = { path: joinPath(folder.path, name), displayPath: joinPath(folder.displayPath, name) };
      yield* visit(location, relative === '' ? name : `${relative}/${name}`, stats, folderRules);
    }
  }

  async function* visit(
    location: Folder,
    relative: BytePath,
    stats: BigIntStats | Error,
    folderRules: IgnoreRules,
  ): AsyncGenerator<WalkEntry> {
    const displayPath = toText(location.displayPath);
    const isFolder = !(stats instanceof Error) && stats.isDirectory();
    if (folderRules.ignores(toText(isFolder ? `${relative}/` : relative)) || namedFiles.has(location.path)) return;
    if (stats instanceof Error) yield toNonFileEntry('unreadable', displayPath, systemReason(stats));
    else if (stats.isFile()) yield toFileEntry(location.path, displayPath, stats);
    else if (!isFolder) yield toNonFileEntry('skipped', displayPath, describeKind(stats));
    else if (!enteredInodes.has(inodeId(stats))) {
      enteredInodes.add(inodeId(stats));
      yield* walkFolder(location, relative, folderRules);
    }
  }

  for (const entry of named.others) {
    if (entry.kind === 'file') onFolder?.(parentFolder(entry.path));
    yield entry;
  }
  for (const folder of named.folders) yield* walkFolder(folder, '', rules);
}

async function listFolder(path: BytePath) {
  try {
    const names = (await readdir(toBytes(path), { encoding: 'latin1' })).sort();
    if (!names.includes(IGNORE_FILE)) return { names, ignoreFileText: undefined };
    const ignoreFileText = await readIgnoreFile(joinPath(path, IGNORE_FILE));
    // Without the rules, files could be registered that must not be.
    if (ignoreFileText === undefined) return { reason: `its ${IGNORE_FILE} cannot be read` };
    return { names, ignoreFileText };
  } catch (error) {
    return { reason: systemReason(error) };
  }
}

async function readIgnoreFile(path: BytePath): Promise<string | undefined> {
  try {
    const stats = await stat(toBytes(path));
    if (!stats.isFile() || stats.size > MAX_IGNORE_FILE_BYTES) return undefined;
    return await readFile(toBytes(path), 'utf8');
  } catch {
    return undefined;
  }
}

async function* lstatAll(folder: BytePath, names: readonly BytePath[]) {
  for (let start = 0; start < names.length; start += PARALLEL_LSTATS) {
    const batch = names.slice(start, start + PARALLEL_LSTATS);
    yield* await Promise.all(batch.map(async (name) => ({ name, stats: await tryLstat(joinPath(folder, name)) })));
  }
}

async function tryLstat(path: BytePath): Promise<BigIntStats | Error> {
  try {
    return await lstat(toBytes(path), { bigint: true });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function readInodeIds(paths: readonly BytePath[]): Promise<Set<string>> {
  const allStats = await Promise.all(paths.map(tryLstat));
  return new Set(allStats.flatMap((stats) => (stats instanceof Error ? [] : [inodeId(stats)])));
}

function resolveLinks(path: BytePath): Promise<BytePath> {
  return realpath(toBytes(path), { encoding: 'latin1' });
}

function inodeId({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

export function toIdentity({ size, mtimeNs, ino, birthtimeNs }: BigIntStats): FileIdentity {
  return { size: Number(size), mtimeNs, ino, birthtimeNs };
}

function toFileEntry(path: BytePath, displayPath: string, stats: BigIntStats): FileEntry {
  return { kind: 'file', path, displayPath, identity: toIdentity(stats) };
}

function withTarget(file: FileEntry, target: BytePath): FileEntry {
  return target === file.path ? file : { ...file, target };
}

function toNonFileEntry(kind: NonFileEntry['kind'], displayPath: string, reason: string): NonFileEntry {
  return { kind, displayPath, reason };
}

function describeKind(stats: BigIntStats): string {
  if (stats.isSymbolicLink()) return SYMBOLIC_LINK;
  if (stats.isFIFO()) return 'pipe';
  if (stats.isSocket()) return 'socket';
  return 'device';
}
