// A small disk that can be full: a file system of its own in memory, where one may be mounted. Elsewhere the processes
// are forbidden to make files longer, which they notice in the same places.

import { execFile } from 'node:child_process';
import { chmod, mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** @typedef {Awaited<ReturnType<typeof openDisk>>} Disk */

const run = promisify(execFile);
/** PostgreSQL takes a quarter of it. It is in memory, so that filling it takes time: no larger than it must be. */
const SIZE_MB = 600;
/** Twenty creations, of 50 kilobytes each. */
const MB_PER_SECOND = 1;

/** Large enough for what is made in that time. @param {number} ms */
export async function openDisk(ms) {
  const folder = await mkdtemp(join(tmpdir(), 'torture-'));
  const size = SIZE_MB + Math.ceil((MB_PER_SECOND * ms) / 1_000);
  const isMounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${size}m,mode=755`, 'torture', folder]).then(
    () => true,
    () => false,
  );
  // Reachable for the database's own user, when this runs as root.
  if (!isMounted) await chmod(folder, 0o755);
  const ballast = join(folder, 'ballast');

  /**
   * @param {readonly (number | undefined)[]} pids
   * @param {string} limit
   */
  async function limit(pids, limit) {
    for (const pid of pids) {
      if (pid !== undefined) await run('prlimit', [`--pid=${pid}`, `--fsize=${limit}:`]).catch(() => {});
    }
  }

  return {
    folder,
    means: isMounted ? 'ENOSPC of a small file system' : 'a limit on the size of files',
    /** @param {readonly (number | undefined)[]} pids of those who write there */
    async fill(pids) {
      if (!isMounted) return limit(pids, '1');
      const file = await open(ballast, 'w');
      const piece = Buffer.alloc(2 ** 20);
      try {
        const { bavail, bsize } = await statfs(folder);
        await run('fallocate', ['-l', String(Math.max(1, bavail * bsize)), ballast]).catch(() => {});
        // To the last byte, whatever others wrote meanwhile.
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
