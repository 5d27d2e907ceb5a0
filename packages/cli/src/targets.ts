// What a command is asked about: a fingerprint, or a file whose fingerprint it is.

import { stat } from 'node:fs/promises';
import type { Fingerprint } from '@provenance-registry/core';
import type { Context } from './context.js';
import { CommandError, FileProblem, systemReason } from './errors.js';
import { type Path, pathsOf } from './paths.js';

/** What stands on the command line for standard input. */
export const STDIN = '-';

export interface Target {
  /** As it was typed. */
  readonly name: string;
  readonly fingerprint: Fingerprint;
  /** Of the file, if it is one. */
  readonly size?: number;
}

export interface Untold {
  readonly name: string;
  readonly problem: CommandError;
}

/** With or without `0x`, as sha256sum writes it too. A file of such a name is reached by `./`. */
export function asFingerprint(text: string): Fingerprint | undefined {
  const [, digits] = /^(?:0x)?([0-9a-f]{64})$/i.exec(text) ?? [];
  return digits === undefined ? undefined : `0x${digits.toLowerCase()}`;
}

/** One fingerprint, given or of a file. */
export async function readTarget(context: Context, name: string): Promise<Target> {
  const fingerprint = asFingerprint(name);
  if (fingerprint) return { name, fingerprint };
  const [hashed] = await hashAll(context, [name], () => {});
  if (hashed === undefined || 'problem' in hashed) throw hashed?.problem ?? new FileProblem(`${name}: not read.`);
  return hashed;
}

export type Told = Target | Untold;

/** Hashes one file after the other, with progress; `tell` hears of each as soon as it is known. */
export async function hashAll(
  context: Context,
  names: readonly string[],
  tell: (target: Told) => void | Promise<void>,
): Promise<Told[]> {
  const paths = pathsOf(names);
  const { total, sizes } = await measure(paths);
  const progress = context.progress({ label: 'Hashing', unit: 'bytes', total });
  const told: Told[] = [];
  let before = 0;
  try {
    for (const [index, path] of paths.entries()) {
      const detail = names.length > 1 ? `${index + 1} of ${names.length}` : undefined;
      const target = await hashOne(context, path, (bytes) => progress.update({ done: before + bytes, total, detail }));
      before += 'size' in target ? (target.size ?? 0) : (sizes[index] ?? 0);
      told.push(target);
      await tell(target);
    }
  } finally {
    progress.end();
  }
  return told;
}

/** How much there is to read, unless one of them does not say. */
async function measure(paths: readonly Path[]): Promise<{ total: number | undefined; sizes: (number | undefined)[] }> {
  const sizes = await Promise.all(
    paths.map(async ({ name, path }) => {
      const found = name === STDIN ? undefined : await stat(path).catch(() => undefined);
      return found?.isFile() ? found.size : undefined;
    }),
  );
  const total = sizes.reduce<number | undefined>(
    (sum, size) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  );
  return { total, sizes };
}

async function hashOne(context: Context, { name, path }: Path, onBytes: (bytes: number) => void): Promise<Told> {
  const { FileChanged, hashFile, hashStream } = await import('@provenance-registry/client/node');
  const options = { signal: context.signal, onProgress: ({ bytes }: { bytes: number }) => onBytes(bytes) };
  try {
    const hashed = name === STDIN ? await hashStream(context.stdin, options) : await hashFile(path, options);
    return { name, ...hashed };
  } catch (error) {
    context.signal.throwIfAborted();
    const problem =
      error instanceof FileChanged
        ? new CommandError('FILE_CHANGED', 3, `${name}: it was changed while it was read.`, { cause: error })
        : new FileProblem(`${name}: ${systemReason(error)}.`, { cause: error });
    return { name, problem };
  }
}
