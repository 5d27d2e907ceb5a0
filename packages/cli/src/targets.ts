// Arguments that are either a fingerprint or a file, which is hashed.

import { stat } from 'node:fs/promises';
import type { Fingerprint } from '@provenance-registry/core';
import { type ArgumentPath, toArgumentPaths } from './argumentPaths.js';
import type { Context } from './context.js';
import { CommandError, FileError } from './errors.js';

/** The argument that stands for standard input. */
const STDIN = '-';

export interface Target {
  readonly name: string;
  readonly fingerprint: Fingerprint;
  /** Of the file, unless a fingerprint was given. */
  readonly size?: number;
}

export type HashResult = Target | { readonly name: string; readonly error: CommandError };

export const targetArgument = {
  label: 'FINGERPRINT|FILE',
  summary: 'fingerprint or file; - for standard input',
  completion: 'files',
} as const;

/** Accepts a fingerprint with or without `0x`. A file with such a name is given as `./name`. */
function parseFingerprint(text: string): Fingerprint | undefined {
  const [, digits] = /^(?:0x)?([0-9a-f]{64})$/i.exec(text) ?? [];
  return digits === undefined ? undefined : `0x${digits.toLowerCase()}`;
}

/** Hashes the file unless the argument is a fingerprint. */
export async function readTarget(context: Context, name: string): Promise<Target> {
  const fingerprint = parseFingerprint(name);
  if (fingerprint) return { name, fingerprint };
  const [result] = await hashFiles(context, [name], () => {});
  if (result === undefined || 'error' in result) throw result?.error ?? new FileError(name, 'not read');
  return result;
}

/** Hashes one file after the other, with progress. */
export async function hashFiles(
  context: Context,
  names: readonly string[],
  onResult: (result: HashResult) => void,
): Promise<HashResult[]> {
  const paths = toArgumentPaths(names);
  const sizes = await Promise.all(paths.map(measureFile));
  const total = sizes.reduce((sum, size) => (sum === undefined || size === undefined ? undefined : sum + size), 0);
  const progress = context.showProgress({ label: 'Hashing', unit: 'bytes', total });
  const results: HashResult[] = [];
  let doneBytes = 0;
  try {
    for (const [index, path] of paths.entries()) {
      const detail = names.length > 1 ? `${index + 1} of ${names.length}` : undefined;
      const onBytes = (bytes: number) => progress.update({ done: doneBytes + bytes, total, detail });
      const result = await hashOne(context, path, onBytes);
      doneBytes += 'size' in result ? (result.size ?? 0) : (sizes[index] ?? 0);
      results.push(result);
      onResult(result);
    }
  } finally {
    progress.end();
  }
  return results;
}

async function measureFile({ name, path }: ArgumentPath): Promise<number | undefined> {
  const stats = name === STDIN ? undefined : await stat(path).catch(() => undefined);
  return stats?.isFile() ? stats.size : undefined;
}

async function hashOne(
  context: Context,
  { name, path }: ArgumentPath,
  onBytes: (bytes: number) => void,
): Promise<HashResult> {
  const { FileChangedError, hashFile, hashStream } = await import('@provenance-registry/client/node');
  const options = { signal: context.signal, onProgress: ({ bytes }: { bytes: number }) => onBytes(bytes) };
  try {
    const hashed = name === STDIN ? await hashStream(context.stdin, options) : await hashFile(path, options);
    return { name, ...hashed };
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof FileChangedError)) return { name, error: new FileError(name, error) };
    const message = `${name}: the file changed while it was being read.`;
    return { name, error: new CommandError('FILE_CHANGED', 3, message, { cause: error }) };
  }
}
