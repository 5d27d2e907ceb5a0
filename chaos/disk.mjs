// A small disk that can be filled: a tmpfs where mounting is allowed. Elsewhere a file size limit on the processes makes
// the same writes fail.

import { execFile } from 'node:child_process';
import { chmod, mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** @typedef {Awaited<ReturnType<typeof createDisk>>} Disk */

const run = promisify(execFile);
/** PostgreSQL takes a quarter of it. Small, since it is in memory and filling it takes time. */
const SIZE_MB = 600;
/** Twenty creations of 50 kilobytes each. */
const MB_PER_SECOND = 1;

/** @param {number} ms duration of the run, which decides the size */
export async function createDisk(ms) {
  const folder = await mkdtemp(join(tmpdir(), 'chaos-'));
  const size = SIZE_MB + Math.ceil((MB_PER_SECOND * ms) / 1_000);
  const isMounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${size}m,mode=755`, 'chaos', folder]).then(
    () => true,
    () => false,
  );
  // The database's own user must reach it when this runs as root.
  if (!isMounted) await chmod(folder, 0o755);
  const ballast = join(folder, 'ballast');

  /** @param {readonly (number | undefined)[]} pids @param {string} limit */
  async function limit(pids, limit) {
    for (const pid of pids) {
      if (pid !== undefined) await run('prlimit', [`--pid=${pid}`, `--fsize=${limit}:`]).catch(() => {});
    }
  }

  return {
    folder,
    fullDiskMethod: isMounted ? 'ENOSPC on a small file system' : 'a file size limit',
    /** @param {readonly (number | undefined)[]} pids of the processes that write there */
    async fill(pids) {
      if (!isMounted) return limit(pids, '1');
      const file = await open(ballast, 'w');
      const piece = Buffer.alloc(2 ** 20);
      try {
        const { bavail, bsize } = await statfs(folder);
        await run('fallocate', ['-l', String(Math.max(1, bavail * bsize)), ballast]).catch(() => {});
        // To the last byte, whatever other processes wrote in the meantime.
        for (;;) await file.appendFile(piece);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      } finally {
        await file.close();
      }
    },
    /** @param {readonly (number | undefined)[]} pids */
    async empty(pids) {
      if (!isMounted) return limit(pids, 'unlimited');
      await rm(ballast, { force: true });
    },
    async remove() {
      if (isMounted) await run('umount', ['-l', folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
