// Paths as they were typed, byte for byte.

import { readFileSync } from 'node:fs';

/** A path for the file system, and the argument that it was, for people. */
export interface Path {
  readonly path: string | Buffer;
  readonly name: string;
}

/** What Node makes of bytes that are not UTF-8. */
const LOST = '\uFFFD';

/** Node's own arguments have lost the bytes of names that are not UTF-8; Linux still knows them. */
export function pathsOf(names: readonly string[]): Path[] {
  const originals = new Map<string, Buffer[]>();
  if (names.some((name) => name.includes(LOST))) {
    for (const bytes of commandLine()) {
      const seen = originals.get(bytes.toString()) ?? [];
      originals.set(bytes.toString(), [...seen, bytes]);
    }
  }
  return names.map((name) => ({ name, path: (name.includes(LOST) && originals.get(name)?.shift()) || name }));
}

function commandLine(): Buffer[] {
  let bytes: Buffer;
  try {
    bytes = readFileSync('/proc/self/cmdline');
  } catch {
    // Another system: there the names are UTF-8, or cannot be known.
    return [];
  }
  const found: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0, start);
    found.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return found;
}
