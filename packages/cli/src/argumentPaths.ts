// Path arguments with the bytes that were typed, also where they are not UTF-8.

import { readFileSync } from 'node:fs';

export interface ArgumentPath {
  readonly path: string | Buffer;
  /** The argument as Node decoded it, for display. */
  readonly name: string;
}

/** What Node decodes invalid UTF-8 to. */
const REPLACEMENT_CHARACTER = '\uFFFD';

/** Node decodes arguments lossily; on Linux the original bytes are read from /proc. */
export function toArgumentPaths(names: readonly string[]): ArgumentPath[] {
  const originals = new Map<string, Buffer[]>();
  const isLossy = (name: string) => name.includes(REPLACEMENT_CHARACTER);
  if (names.some(isLossy)) {
    for (const bytes of readRawArguments()) {
      const name = bytes.toString();
      originals.set(name, [...(originals.get(name) ?? []), bytes]);
    }
  }
  return names.map((name) => ({ name, path: (isLossy(name) && originals.get(name)?.shift()) || name }));
}

function readRawArguments(): Buffer[] {
  try {
    const line = readFileSync('/proc/self/cmdline', 'latin1');
    return line.split('\0').map((argument) => Buffer.from(argument, 'latin1'));
  } catch {
    // Not Linux: the original bytes are not available.
    return [];
  }
}
