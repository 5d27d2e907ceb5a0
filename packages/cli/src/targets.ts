// Arguments that are either a fingerprint or a file, which is hashed.

import { type FileHandle, stat } from 'node:fs/promises';
import type { HashResult } from '@provenance-registry/client/node';
import type { Fingerprint } from '@provenance-registry/core';
import { toArgumentPaths } from './argumentPaths.js';
import type { Context } from './context.js';
import { CommandError, FileError } from './errors.js';
import { STDIN } from './inputs/options.js';

export interface Target {
  readonly name: string;
  readonly fingerprint: Fingerprint;
}

/** What is hashed: a file, or standard input. */
export interface HashSource {
  readonly name: string;
  /** Undefined for standard input. */
  readonly path?: string | Buffer | undefined;
  /** An opened file, which is read instead. */
  readonly handle?: FileHandle | undefined;
}

export const targetArgument = {
  label: 'FINGERPRINT|FILE',
  summary: 'fingerprint or file; - for standard input',
  completion: 'files',
} as const;

/** Accepts a fingerprint with or without `0x`. A file with such a name is given as `./name`. */
export function parseFingerprint(text: string): Fingerprint | undefined {
  const [, digits] = /^(?:0x)?([0-9a-f]{64})$/i.exec(text) ?? [];
  return digits === undefined ? undefined : `0x${digits.toLowerCase()}`;
}

/** Hashes the file unless the argument is a fingerprint. */
export async function readTarget(context: Context, name: string): Promise<Target> {
  const fingerprint = parseFingerprint(name);
  if (fingerprint) return { name, fingerprint };
  const [{ path } = { path: name }] = toArgumentPaths(context, [name]);
  const isStdin = name === STDIN;
  const total = isStdin ? undefined : await measureFile(path);
  const progress = context.showProgress({ label: 'Hashing', unit: 'bytes', total });
  try {
    const source = { name, path: isStdin ? undefined : path };
    const hashed = await hashSource(context, source, (bytes) => progress.update({ done: bytes }));
    return { name, fingerprint: hashed.fingerprint };
  } finally {
    progress.end();
  }
}

async function measureFile(path: string | Buffer): Promise<number | undefined> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isFile() ? stats.size : undefined;
}

/** Hashes a file or standard input; a fingerprint stays what it is. */
export async function hashInput(
  context: Context,
  input: HashSource & { readonly fingerprint?: Fingerprint },
  onBytes: (bytes: number) => void,
): Promise<Fingerprint> {
  return input.fingerprint ?? (await hashSource(context, input, onBytes)).fingerprint;
}

/** Imported once: finding the module again takes as long as hashing a small file. */
let hashing: Promise<typeof import('./hashing.js')> | undefined;

/** `onBytes` gets the number of bytes so far. Rejects with CommandError when the file cannot be read. */
export async function hashSource(
  context: Pick<Context, 'signal' | 'stdin'>,
  { name, path, handle }: HashSource,
  onBytes: (bytes: number) => void,
): Promise<HashResult> {
  hashing ??= import('./hashing.js');
  const { signal } = context;
  const { FileChangedError, hashFile, hashStream } = await hashing;
  const options = { signal, onProgress: ({ bytes }: { readonly bytes: number }) => onBytes(bytes) };
  try {
    const file = handle ?? path;
    return file === undefined ? await hashStream(context.stdin, options) : await hashFile(file, options);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof FileChangedError)) throw new FileError(name, error);
    const message = `${name}: the file changed while it was being read.`;
    throw new CommandError('FILE_CHANGED', 3, message, { cause: error });
  }
}
