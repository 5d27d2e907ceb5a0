// The arguments of this process with all their bytes.

import { readFileSync } from 'node:fs';

/** Node decodes arguments lossily; on Linux the original bytes are read from /proc. */
export function readRawArguments(): Buffer[] {
  try {
    const line = readFileSync('/proc/self/cmdline', 'latin1');
    return line.split('\0').map((argument) => Buffer.from(argument, 'latin1'));
  } catch {
    // Not Linux: the original bytes are not available.
    return [];
  }
}
