// Which files are open for writing, as far as the system tells: a copy that has stalled looks complete otherwise.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { type BytePath, joinPath } from '../walk/paths.js';

const PROCESSES = '/proc';
/** O_WRONLY and O_RDWR. */
const WRITE_FLAGS = 0o3;

/** Only files in this folder, and only of processes of the same user; none where there is no /proc. */
export function findFilesOpenForWriting(folder: BytePath): ReadonlySet<BytePath> {
  const prefix = joinPath(folder, '');
  const paths = new Set<BytePath>();
  for (const pid of list(PROCESSES).filter((name) => /^\d+$/.test(name))) {
    for (const descriptor of list(`${PROCESSES}/${pid}/fd`)) {
      const path = tryRead(() => readlinkSync(`${PROCESSES}/${pid}/fd/${descriptor}`, 'latin1'));
      if (path?.startsWith(prefix) && isWritable(`${PROCESSES}/${pid}/fdinfo/${descriptor}`)) paths.add(path);
    }
  }
  return paths;
}

function isWritable(infoPath: string): boolean {
  const info = tryRead(() => readFileSync(infoPath, 'latin1'));
  const [, flags = '0'] = /^flags:\s*([0-7]+)$/m.exec(info ?? '') ?? [];
  return (Number.parseInt(flags, 8) & WRITE_FLAGS) !== 0;
}

function list(folder: string): string[] {
  return tryRead(() => readdirSync(folder)) ?? [];
}

/** Processes end, and those of other users cannot be read. */
function tryRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
