// Lists the inputs of a command in the order given: files, the files in folders, fingerprints and standard input, from
// arguments and from a list of paths. Nothing is kept, so that a list may be endless.

import { createReadStream, type Stats, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Fingerprint } from '@provenance-registry/core';
import { type ArgumentPath, toAbsolutePath, toArgumentPaths } from '../argumentPaths.js';
import { CommandError, FileError } from '../errors.js';
import type { ProcessIo } from '../processIo.js';
import { parseFingerprint } from '../targets.js';
import { STDIN } from './options.js';

export type Input =
  | { readonly kind: 'fingerprint'; readonly name: string; readonly fingerprint: Fingerprint }
  | { readonly kind: 'stdin'; readonly name: string }
  /** `size` is known for regular files. */
  | {
      readonly kind: 'file';
      readonly name: string;
      readonly path: string | Buffer;
      readonly size?: number | undefined;
      /** An opened file, which is read instead. */
      readonly handle?: FileHandle | undefined;
    }
  | { readonly kind: 'unreadable'; readonly name: string; readonly error: CommandError }
  /** Found in a folder, and neither file nor folder. */
  | { readonly kind: 'skipped'; readonly name: string };

export interface InputSources extends Pick<ProcessIo, 'stdin' | 'cwd' | 'readRawArguments'> {
  readonly files: readonly string[];
  /** A file with paths, or `-`. */
  readonly filesFrom?: string | undefined;
  readonly isNullSeparated: boolean;
  readonly ignore: readonly string[];
  readonly takesFingerprints: boolean;
  readonly takesFolders: boolean;
}

/** Linux allows paths of 4,096 bytes: a longer line is not a list of paths, and must not fill the memory. */
const MAX_PATH_BYTES = 64 * 1024;

export async function* listInputs(sources: InputSources): AsyncGenerator<Input> {
  for (const argument of toArgumentPaths(sources, sources.files)) {
    const input = argument.name === STDIN ? { kind: 'stdin' as const, name: STDIN } : readInput(argument, sources);
    if (input) yield input;
    else yield* walkFolder(argument, sources.ignore);
  }
  if (sources.filesFrom === undefined) return;
  for await (const path of readPathList(sources.filesFrom, sources)) {
    const argument = { path: toAbsolutePath(sources.cwd, path), name: path.toString() };
    const input = readInput(argument, sources);
    if (input) yield input;
    else yield* walkFolder(argument, sources.ignore);
  }
}

/** Undefined for a folder whose files are inputs. */
function readInput({ name, path }: ArgumentPath, sources: InputSources): Input | undefined {
  const fingerprint = sources.takesFingerprints ? parseFingerprint(name) : undefined;
  if (fingerprint) return { kind: 'fingerprint', name, fingerprint };
  let stats: Stats;
  try {
    // Promises would take several times the CPU time.
    stats = statSync(path);
  } catch (error) {
    return { kind: 'unreadable', name, error: new FileError(name, error) };
  }
  if (stats.isDirectory()) {
    if (sources.takesFolders) return undefined;
    const error = new CommandError('FILE_PROBLEM', 3, `${name}: is a directory. Name the files in it.`);
    return { kind: 'unreadable', name, error };
  }
  // Pipes and devices can be read, too.
  return { kind: 'file', name, path, size: stats.isFile() ? stats.size : undefined };
}

async function* walkFolder(folder: ArgumentPath, ignore: readonly string[]): AsyncGenerator<Input> {
  // Loaded on demand: most command lines name files.
  const [{ walk }, { createIgnoreRules }, { toBytes }] = await Promise.all([
    import('../walk/walk.js'),
    import('../walk/ignoreRules.js'),
    import('../walk/paths.js'),
  ]);
  const rules = createIgnoreRules(ignore);
  for await (const entry of walk({ paths: [folder], rules, excludedFolders: [] })) {
    const name = entry.displayPath;
    if (entry.kind === 'file') yield { kind: 'file', name, path: toBytes(entry.path), size: entry.identity.size };
    else if (entry.kind === 'skipped') yield { kind: 'skipped', name };
    else yield { kind: 'unreadable', name, error: new FileError(name, new Error(entry.reason)) };
  }
}

async function* readPathList(
  list: string,
  sources: Pick<InputSources, 'isNullSeparated' | 'stdin' | 'cwd'>,
): AsyncGenerator<Buffer> {
  const { isNullSeparated, cwd } = sources;
  const separator = isNullSeparated ? '\0' : '\n';
  const stream = list === STDIN ? sources.stdin : createReadStream(toAbsolutePath(cwd, list));
  try {
    for await (const path of splitStream(stream, list, separator)) {
      const entry = isNullSeparated ? path : path.replace(/\r$/, '');
      if (entry !== '') yield Buffer.from(entry, 'latin1');
    }
  } catch (error) {
    throw error instanceof CommandError ? error : new FileError(list, error);
  }
}

/** Splits in latin1, where each character is one byte: names need not be UTF-8. */
export async function* splitStream(
  stream: AsyncIterable<Buffer>,
  list: string,
  separator: string,
): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stream) {
    const parts = (rest + chunk.toString('latin1')).split(separator);
    rest = parts.pop() ?? '';
    if (rest.length > MAX_PATH_BYTES) throw new CommandError('FILE_PROBLEM', 3, `${list}: not a list of paths.`);
    yield* parts;
  }
  yield rest;
}
