// Path arguments with the bytes that were typed, also where they are not UTF-8.

import { isAbsolute } from 'node:path';
import type { ProcessIo } from './processIo.js';

export interface ArgumentPath {
  /** Absolute. */
  readonly path: string | Buffer;
  /** The argument as Node decoded it, for display. */
  readonly name: string;
}

/** What Node decodes invalid UTF-8 to. */
const REPLACEMENT_CHARACTER = '\uFFFD';

export function toArgumentPaths(
  { cwd, readRawArguments }: Pick<ProcessIo, 'cwd' | 'readRawArguments'>,
  names: readonly string[],
): ArgumentPath[] {
  const originals = new Map<string, Buffer[]>();
  const isLossy = (name: string) => name.includes(REPLACEMENT_CHARACTER);
  if (names.some(isLossy)) {
    for (const bytes of readRawArguments()) {
      const name = bytes.toString();
      originals.set(name, [...(originals.get(name) ?? []), bytes]);
    }
  }
  return names.map((name) => ({
    name,
    path: toAbsolutePath(cwd, (isLossy(name) && originals.get(name)?.shift()) || name),
  }));
}

/** Not normalized: behind a symbolic link, `..` leads elsewhere. An empty path stays one, which no file has. */
export function toAbsolutePath<P extends string | Buffer>(cwd: string, path: P): P;
export function toAbsolutePath(cwd: string, path: string | Buffer): string | Buffer {
  if (path.length === 0 || isAbsolute(typeof path === 'string' ? path : path.toString('latin1'))) return path;
  const start = cwd.endsWith('/') ? cwd : `${cwd}/`;
  return typeof path === 'string' ? start + path : Buffer.concat([Buffer.from(start), path]);
}
