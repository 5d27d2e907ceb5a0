// `hash` and `verify` of many files: folders, lists, order, formats and summaries.

import { createHash } from 'node:crypto';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRegistrant } from '../../../test/support/registrants.js';
import { call, type Service, startService } from '../../../test/support/service.js';
import { newImage } from '../../../test/support/signedImages.js';
import { Machine } from './support/machine.js';
import { checkOutput } from './support/outputChecks.js';

const sha256 = (content: string | Uint8Array): `0x${string}` =>
  `0x${createHash('sha256').update(content).digest('hex')}`;

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

  it.each<[args: string[], input: string, names: string[]]>([
    [['z.txt', 'photos', '--ignore', '*.xmp'], '', ['z.txt', ...inPhotos]],
    [['photos/b.jpg', 'photos/old'], '', ['photos/b.jpg', 'photos/old/c.jpg']],
    [['--files-from', '-'], 'z.txt\r\n\nphotos/old\nphotos/a.jpg', ['z.txt', 'photos/old/c.jpg', 'photos/a.jpg']],
    [['b.txt', '--files-from', 'list', '-0'], '', ['z.txt', 'photos/a.jpg']],
    [['--concurrency', '1', 'photos', '--ignore', '*.xmp'], '', inPhotos],
  ])('%j %j has the files in the order given', async (args, input, names) => {
    await machine.file('list', 'z.txt\0photos/a.jpg\0');
    expect(namesOf((await machine.run(['hash', ...args], input)).stdout)).toEqual(names);
  });

  it('prints CSV with a header line, safe for spreadsheets', async () => {
    const { code, stdout } = await machine.in('photos').run(['hash', '--csv', '=1+1.jpg', 'gone,.jpg', 'a.jpg']);
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
    const running = machine.start(['hash', '--json-lines', '--files-from', '-']);
    running.type('z.txt\ngone.txt\n');
    // The list has not ended.
    await running.waitForOutput('"code":"FILE_PROBLEM"}\n');
    const lines = running.output().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { file: 'z.txt', fingerprint: sha256('z'), size: 1 },
      { file: 'gone.txt', error: 'gone.txt: no such file.', code: 'FILE_PROBLEM' },
    ]);
    running.stdin.end();
    expect((await running.end).code).toBe(3);
  });

  it('counts files and bytes at the end in a terminal', async () => {
    const { stdout } = await machine.start(['hash', 'photos'], { isTerminal: true }).end;
    expect(stdout).toContain('5 files: 5 hashed, 1 skipped (70 B)');
  });

  it('of an empty folder or a list of nothing exits with 3', async () => {
    expect(await machine.run(['hash', 'empty'])).toEqual({
      code: 3,
      stdout: '',
      stderr: 'provenance: No files were found.\n',
    });
    expect(await machine.json(['hash', '--files-from', '/dev/null'])).toEqual({ code: 3, result: [] });
    const notAList = await machine.run(['hash', '--files-from', '-'], 'x'.repeat(100_000));
    expect([notAList.code, notAList.stderr]).toEqual([3, 'provenance: -: not a list of paths.\n']);
  });
});

describe('verify', () => {
  let service: Service;
  /** Without an account. */
  let machine: Machine;
  let original: `0x${string}`;
  const byNode: string[] = [];
  beforeAll(async () => {
    service = await startService();
    machine = await Machine.create({ PROVENANCE_URL: service.url });
    const ada = await createRegistrant(service.url);
    const { markId } = ada;
    for (const name of ['photos/a.txt', 'photos/b.txt']) {
      await machine.file(name, name);
      await ada.client.createArtifact({ markId, fingerprint: sha256(name), filename: name });
    }
    const image = await newImage('image/png');
    original = sha256(image);
    const signed = await ada.client.signImage({ markId, file: new File([image], 'image.png', { type: 'image/png' }) });
    await machine.file('signed.png', Buffer.from(signed.image ?? []));
    const { c2paAssets } = await ada.client.getArtifact({ fingerprint: original });
    await machine.file('photos/card.png', await ada.client.download(c2paAssets.signedAssetUrl));
    await machine.file('photos/z.txt', 'never registered');
    const { rpcUrl, address } = (await call(service, 'GET', '/c2pa/contract')).body;
    byNode.push('--rpc-url', rpcUrl, '--contract', address);
    const fingerprints = [sha256('photos/a.txt'), sha256('photos/b.txt'), original];
    await machine.with({ PROVENANCE_TOKEN: ada.token }).run(['file', 'status', '--wait', ...fingerprints]);
  });

  it('of a folder prints a line for each file and counts the verdicts', async () => {
    const { code, stdout, stderr } = await machine.run(['verify', ...byNode, 'photos', 'gone.txt']);
    const mark = 'Ada Lovelace Photography';
    const lines = stdout
      .replaceAll(/ \S+Z {2}/g, ' TIME  ')
      .trimEnd()
      .split('\n');
    expect(lines).toEqual([
      `verified         ${mark}  TIME  photos/a.txt`,
      `verified         ${mark}  TIME  photos/b.txt`,
      `consistent       -${' '.repeat(25)}-${' '.repeat(21)}photos/card.png`,
      `unknown          -${' '.repeat(25)}-${' '.repeat(21)}photos/z.txt`,
      '5 files: 2 verified, 1 consistent, 1 unknown, 1 could not be read',
      'The service does not learn which files you checked, except for 3 files that it has.',
      `Next: Verify the original instead of a copy: provenance verify ${original}`,
    ]);
    expect([code, stderr]).toEqual([1, 'provenance: gone.txt: no such file.\n']);
  });

  it.each([
    [['photos/a.txt', 'photos/b.txt'], 0],
    [['photos/a.txt', 'photos/card.png'], 4],
    [['photos/card.png', 'gone.txt', 'photos/a.txt'], 3],
    [['photos/z.txt', 'gone.txt', 'photos/card.png'], 1],
  ])('of %j exits with %i, for the worst of them', async (files, exitCode) => {
    const { code, result } = await machine.json(['verify', ...byNode, ...files]);
    expect(result).toMatchObject(files.map((file) => ({ file })));
    expect(code).toBe(exitCode);
  });

  it('with --direct finds the same, looks the files up together, and says what was sent', async () => {
    const countRequests = async (path: string) => {
      const { body } = await call(service, 'GET', '/metrics');
      return Number(new RegExp(`^http_requests_total\\{.*route="${path}".*\\} (\\d+)$`, 'm').exec(body)?.[1] ?? 0);
    };
    const single = '/api/c2pa/matches/byBinding';
    const before = await countRequests(single);
    const { code, stdout } = await machine.run(['verify', ...byNode, '--direct', 'photos']);
    expect(stdout).toContain(
      '4 files: 2 verified, 1 consistent, 1 unknown\nThe service was sent the fingerprints of 4 files.',
    );
    expect(code).toBe(1);
    expect(await countRequests('/api/v1/public/lookups')).toBeGreaterThan(0);
    expect(await countRequests(single)).toBe(before);
  });

  it('prints CSV and JSON lines, with the summary on standard error', async () => {
    const files = ['photos/a.txt', 'photos/z.txt'];
    const csv = await machine.run(['verify', ...byNode, '--csv', ...files]);
    const [header, first = '', second] = csv.stdout.split('\n');
    expect(header).toBe(
      'file,fingerprint,verdict,independentSources,mark,author,license,allowAiTraining,since,problems,error',
    );
    expect(first.split(',').slice(0, 6)).toEqual([
      'photos/a.txt',
      sha256('photos/a.txt'),
      'verified',
      'chain',
      'Ada Lovelace Photography',
      'Ada',
    ]);
    expect(second).toBe(`photos/z.txt,${sha256('never registered')},unknown,,,,,,,,`);
    const summary = [
      '2 files: 1 verified, 1 unknown\n',
      'The service does not learn which files you checked, except for 1 file that it has.\n',
    ].join('');
    expect(csv.stderr).toBe(summary);
    const lines = await machine.run(['verify', ...byNode, '--json-lines', ...files]);
    const objects = lines.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    checkOutput(['verify'], objects);
    expect(objects).toMatchObject([{ verdict: 'verified' }, { verdict: 'unknown' }]);
    expect([lines.code, lines.stderr]).toEqual([1, summary]);
  });

  it('reads the manifest inside a file, and recognizes a copy that the registry signed', async () => {
    const ofCard = await machine.run(['verify', 'photos/card.png']);
    expect(ofCard.stdout.replaceAll(/\s+/g, ' ')).toContain(`This file is a signed copy, or the card, of ${original}.`);
    const { code, stdout } = await machine.run(['verify', 'signed.png']);
    const words = stdout.replaceAll(/\s+/g, ' ');
    expect(words).toContain(`Signed copy of ${original}`);
    expect(words).not.toContain('What follows is about that file');
    expect(words).toContain('Manifest in the file: intact It fits the file. Signed by "Development signer, ');
    expect(words).toMatch(/History .*- "image\.png": .* Signed by "Development signer, /);
    expect(code).toBe(4);
  });
});
