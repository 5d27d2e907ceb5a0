// Hashing files in Node, on a real disk.

import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { open, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/service.js';
import { FileChangedError, hashFile, hashStream } from '../src/node/index.js';

const folder = await temporaryFolder();
const MEGABYTE = 1024 * 1024;

function sha256sum(path: string): string {
  return `0x${execFileSync('sha256sum', [path], { encoding: 'utf8' }).replace(/^\\/, '').slice(0, 64)}`;
}

test.each([0, 1, 5000, MEGABYTE - 1, MEGABYTE, MEGABYTE + 1, 3 * MEGABYTE + 7])(
  'a file of %i bytes has the same fingerprint as with sha256sum, and its progress is reported',
  async (size) => {
    const path = join(folder, `of ${size}`);
    const bytes = Buffer.alloc(size, 'some content ');
    await writeFile(path, bytes);
    const progress: unknown[] = [];
    const hashed = await hashFile(path, { onProgress: (step) => progress.push(step) });
    expect(hashed).toEqual({ fingerprint: sha256sum(path), size });
    expect(progress.at(-1)).toEqual(size === 0 ? undefined : { bytes: size, total: size });
    expect(await hashStream(Readable.from([bytes.subarray(0, 3), bytes.subarray(3)]))).toEqual(hashed);
  },
);

test('a path that is not UTF-8 is given as bytes', async () => {
  const path = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0x66, 0xff, 0xfe])]);
  await writeFile(path, 'content');
  expect((await hashFile(path)).size).toBe(7);
});

test.each([
  ['grows', (path: string) => appendFileSync(path, 'more')],
  ['is truncated', (path: string) => execFileSync('truncate', ['--size=2M', path])],
  [
    'is overwritten in place',
    (path: string) => execFileSync('dd', ['if=/dev/zero', `of=${path}`, 'count=1', 'conv=notrunc', 'status=none']),
  ],
])('a file that %s while it is read is rejected', async (_, change) => {
  const path = join(folder, 'changing');
  await writeFile(path, Buffer.alloc(8 * MEGABYTE, 1));
  let changed = false;
  const hashing = hashFile(path, {
    onProgress: () => {
      if (!changed) change(path);
      changed = true;
    },
  });
  await expect(hashing).rejects.toThrow(FileChangedError);
});

test('a file that is replaced while it is read has the fingerprint of the opened file', async () => {
  const [path, other] = [join(folder, 'replaced'), join(folder, 'replacing')];
  await writeFile(path, Buffer.alloc(4 * MEGABYTE, 1));
  await writeFile(other, 'another');
  const expected = sha256sum(path);
  let replaced: Promise<void> | undefined;
  const hashed = await hashFile(path, {
    onProgress: () => {
      replaced ??= rename(other, path);
    },
  });
  await replaced;
  expect(hashed.fingerprint).toBe(expected);
});

test('a file that cannot be read is rejected with the error code of the system', async () => {
  await expect(hashFile(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(hashFile(folder)).rejects.toMatchObject({ code: 'EISDIR' });
});

test('an abort ends hashing and closes the file', async () => {
  const path = join(folder, 'aborted');
  await writeFile(path, Buffer.alloc(8 * MEGABYTE));
  const controller = new AbortController();
  const hashing = hashFile(path, {
    signal: controller.signal,
    onProgress: () => controller.abort(new Error('enough')),
  });
  await expect(hashing).rejects.toThrow('enough');
  // Other files of this process may close while they are listed.
  const open = execFileSync('sh', ['-c', `ls -l /proc/${process.pid}/fd 2>&1; true`], { encoding: 'utf8' });
  expect(open).not.toContain(path);
});

test('a file of half a gigabyte is hashed in constant memory', async () => {
  const path = join(folder, 'sparse');
  const file = await open(path, 'w');
  await file.truncate(512 * MEGABYTE);
  await file.close();
  const before = process.memoryUsage().rss;
  let peak = 0;
  const { size } = await hashFile(path, {
    onProgress: () => {
      peak = Math.max(peak, process.memoryUsage.rss());
    },
  });
  expect(size).toBe(512 * MEGABYTE);
  expect(peak - before).toBeLessThan(64 * MEGABYTE);
});
