// `hash` and `verify` of many files: folders, lists, order, formats and summaries.

import { createHash } from 'node:crypto';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Machine } from './support/machine.js';

const sha256 = (content: string) => `0x${createHash('sha256').update(content).digest('hex')}`;

describe('hash', () => {
  let machine: Machine;
  beforeAll(async () => {
    machine = await Machine.create();
    for (const name of ['photos/b.jpg', 'photos/a.jpg', 'photos/=1+1.jpg', 'photos/old/c.jpg', 'photos/skip.xmp']) {
      await machine.file(name, name);
    }
    await machine.file('photos/.hidden', 'hidden');
    await machine.file('photos/old/.provenanceignore', 'drafts/\n');
    await machine.file('photos/old/drafts/d.jpg', 'draft');
    await machine.file('z.txt', 'z');
    await symlink('a.jpg', join(machine.home, 'photos/link.jpg'));
    await mkdir(join(machine.home, 'empty'));
  });

  const inPhotos = ['photos/=1+1.jpg', 'photos/a.jpg', 'photos/b.jpg', 'photos/old/c.jpg'];
  const namesOf = (stdout: string) => stdout.split('\n').flatMap((line) => line.split('  ')[1] ?? []);

  it.each([
    ['provenance hash z.txt photos --ignore "*.xmp"', ['z.txt', ...inPhotos]],
    ['provenance hash photos/b.jpg photos/old', ['photos/b.jpg', 'photos/old/c.jpg']],
    [
      String.raw`printf 'z.txt\r\n\nphotos/old\nphotos/a.jpg' | provenance hash --files-from -`,
      ['z.txt', 'photos/old/c.jpg', 'photos/a.jpg'],
    ],
    [
      String.raw`printf 'z.txt\0photos/a.jpg\0' > list; provenance hash b.txt --files-from list -0 2>&1 || true`,
      ['z.txt', 'photos/a.jpg'],
    ],
    ['provenance hash --concurrency 1 photos --ignore "*.xmp"', inPhotos],
  ])('%s has the files in the order given', async (line, names) => {
    expect(namesOf((await machine.shell(line)).stdout)).toEqual(names);
  });

  it('prints CSV with a header line, safe for spreadsheets', async () => {
    const { code, stdout } = await machine.shell('cd photos; provenance hash --csv =1+1.jpg gone,.jpg a.jpg');
    expect(stdout.split('\n')).toEqual([
      'file,fingerprint,size,error',
      `'=1+1.jpg,${sha256('photos/=1+1.jpg')},15,`,
      '"gone,.jpg",,,"gone,.jpg: no such file."',
      `a.jpg,${sha256('photos/a.jpg')},12,`,
      '',
    ]);
    expect(code).toBe(3);
  });

  it('prints a JSON line as soon as a result is known', async () => {
    const running = machine.spawn('provenance', ['hash', '--json-lines', '--files-from', '-']);
    running.type('z.txt\ngone.txt\n');
    // The list has not ended.
    await running.waitForOutput('"code":"FILE_PROBLEM"}\n');
    const lines = running.output().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { file: 'z.txt', fingerprint: sha256('z'), size: 1 },
      { file: 'gone.txt', error: 'gone.txt: no such file.', code: 'FILE_PROBLEM' },
    ]);
    running.process.stdin.end();
    expect((await running.end).code).toBe(3);
  });

  it('counts files and bytes at the end in a terminal', async () => {
    const { stdout } = await machine.terminal('provenance hash photos').end;
    expect(stdout).toContain('5 files: 5 hashed, 1 skipped (70 B)');
  });

  it('of an empty folder or a list of nothing exits with 3', async () => {
    expect(await machine.run(['hash', 'empty'])).toEqual({
      code: 3,
      stdout: '',
      stderr: 'provenance: No files were found.\n',
    });
    expect(await machine.json(['hash', '--files-from', '/dev/null'])).toEqual({ code: 3, result: [] });
    const notAList = await machine.shell('head -c 100000 /dev/zero | tr "\\0" x | provenance hash --files-from -');
    expect([notAList.code, notAList.stderr]).toEqual([3, 'provenance: -: not a list of paths.\n']);
  });
});
