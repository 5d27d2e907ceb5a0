// `provenance register` against the service: what it sends, what it reports, and what a second run does.

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { newDataFolder, type Service, startService } from '../../../test/support/service.js';
import { outcomesByPath, Registrant } from './support/registration.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});

const sha256 = (content: string): `0x${string}` => `0x${createHash('sha256').update(content).digest('hex')}`;

describe('a folder', () => {
  it('is registered completely, and a second run sends nothing', async () => {
    const ada = await Registrant.create(service.url);
    const { machine } = ada;
    await machine.file('photos/sunrise.jpg', 'sunrise');
    await machine.file('photos/2026/song.flac', 'song');
    await machine.file('photos/2026/empty', '');
    await machine.file('photos/2026/draft.xmp', 'draft');
    await utimes(join(machine.home, 'photos/sunrise.jpg'), 1_750_000_000, 1_750_000_000.5);

    const first = await ada.register('photos', '--ignore', '*.xmp');
    expect(first.code).toBe(0);
    expect(outcomesByPath(first)).toEqual({
      'photos/2026/empty': 'registered',
      'photos/2026/song.flac': 'registered',
      'photos/sunrise.jpg': 'registered',
    });
    expect(first.summary).toMatchObject({ files: 3, registered: 3, hashed: 3, sent: 3, fromJournal: 0 });
    const registered = first.files.map(({ fingerprint }) => fingerprint);
    expect(first.log).toEqual({ fingerprint: expect.toBeOneOf(registered), status: 'included' });
    const sunrise = await ada.client.getArtifact({ fingerprint: sha256('sunrise') });
    expect(sunrise.mark.id).toBe(ada.markId);
    expect(sunrise.metadata).toMatchObject({
      filename: 'sunrise.jpg',
      size: 7,
      mediaType: 'image/jpeg',
      kind: 'image',
      lastModified: new Date(1_750_000_000_500).toISOString(),
    });
    const { metadata } = await ada.client.getArtifact({ fingerprint: sha256('') });
    expect(metadata).toMatchObject({ filename: 'empty', size: 0, kind: 'other' });

    const second = await ada.register('photos', '--ignore', '*.xmp');
    expect(second.code).toBe(0);
    expect(new Set(Object.values(outcomesByPath(second)))).toEqual(new Set(['yours']));
    expect(second.summary).toMatchObject({ files: 3, yours: 3, hashed: 0, sent: 0, fromJournal: 3 });
    expect(second.log).toBeNull();

    const fields = await machine.run(['register', 'photos', '--ignore', '*.xmp', '--format', '{outcome}: {path}']);
    expect([fields.code, fields.stderr, fields.stdout.split('\n').sort()]).toEqual([
      0,
      '',
      ['', 'yours: photos/2026/empty', 'yours: photos/2026/song.flac', 'yours: photos/sunrise.jpg'],
    ]);

    const state = join(machine.home, '.local/state/provenance/register');
    const [name = ''] = await readdir(state);
    const [header = ''] = (await readFile(join(state, name), 'utf8')).split('\n');
    expect(JSON.parse(header)).toEqual({ url: service.url, markId: ada.markId, folder: join(machine.home, 'photos') });
  });

  it('is registered under a new Mark, which a second run uses again', async () => {
    const { machine } = await Registrant.create(service.url);
    await machine.file('drafts/one.txt', 'the first draft');
    const register = async (...options: string[]) => {
      const { code, stdout } = await machine.run(['register', '--json', '--new-mark', 'Drafts', ...options, 'drafts']);
      return { exitCode: code, ...JSON.parse(stdout) };
    };
    const first = await register();
    expect(first).toMatchObject({ exitCode: 0, mark: { name: 'Drafts' }, summary: { registered: 1 } });
    expect(await register()).toMatchObject({ exitCode: 0, mark: first.mark, summary: { yours: 1 } });
    for (const options of [['--mark', 'Drafts'], ['--dry-run']])
      expect(await register(...options)).toMatchObject({ exitCode: 2, code: 'WRONG_USE' });
  });

  it('with names of any bytes is registered with readable names, and recorded with exact ones', async () => {
    const ada = await Registrant.create(service.url);
    await mkdir(join(ada.machine.home, 'odd'));
    const names = [Buffer.from([0x61, 0xff]), Buffer.from([0x61, 0xfe]), Buffer.from('line\nbreak\u001b[2J')];
    for (const [index, name] of names.entries()) {
      await writeFile(Buffer.concat([Buffer.from(`${ada.machine.home}/odd/`), name]), `odd ${index}`);
    }
    expect((await ada.register('odd')).summary).toMatchObject({ registered: 3 });
    const filenames = [0, 1, 2].map(async (index) => {
      const { metadata } = await ada.client.getArtifact({ fingerprint: sha256(`odd ${index}`) });
      return metadata.filename;
    });
    expect(await Promise.all(filenames)).toEqual(['a\uFFFD', 'a\uFFFD', 'line\uFFFDbreak\uFFFD[2J']);
    expect((await ada.register('odd')).summary).toMatchObject({ yours: 3, hashed: 0, sent: 0 });
    const named = ada.machine.start(['register', '--json', 'odd/a\uFFFD'], {
      rawArguments: [Buffer.from('odd/a\xff', 'latin1')],
    });
    expect(JSON.parse((await named.end).stdout)).toMatchObject({
      summary: { files: 1, yours: 1, hashed: 0, sent: 0 },
    });
  });

  it('with several copies of a file sends one request and reports every copy', async () => {
    const ada = await Registrant.create(service.url);
    for (const name of ['a', 'b', 'c/a']) await ada.machine.file(`twice/${name}`, 'the same in all of them');
    const { code, files, summary } = await ada.register('twice');
    expect([code, files.map(({ outcome }) => outcome).sort()]).toEqual([0, ['registered', 'yours', 'yours']]);
    expect(summary).toMatchObject({ hashed: 3, sent: 1 });
    await ada.machine.file('twice/d', 'the same in all of them');
    expect((await ada.register('twice')).summary).toMatchObject({ yours: 4, hashed: 1, sent: 0 });
  });

  it('reports the owner of files that are already registered', async () => {
    const [ada, bea] = [await Registrant.create(service.url), await Registrant.create(service.url)];
    const { id: other } = await ada.client.createMark({ name: 'Paintings' });
    const { id: secret } = await bea.client.createMark({ name: 'Secret', visibility: 'private' });
    const register = (user: Registrant, markId: string, content: string) =>
      user.client.createArtifact({ markId, fingerprint: sha256(content), filename: 'x' });
    await register(ada, ada.markId, 'mine');
    await register(ada, other, 'mine too');
    await register(bea, bea.markId, 'hers');
    await register(bea, secret, 'her secret');
    for (const content of ['mine', 'mine too', 'hers', 'her secret', 'new']) {
      await ada.machine.file(`mixed/${content}`, content);
    }
    const { code, files, summary } = await ada.register('--mark', ada.markId, 'mixed');
    const results = files.map(({ path, outcome, mark }) => [path, [outcome, mark]] as const);
    expect(Object.fromEntries(results)).toEqual({
      'mixed/her secret': ['others', secret],
      'mixed/hers': ['others', 'Photos'],
      'mixed/mine': ['yours', undefined],
      'mixed/mine too': ['yours', 'Paintings'],
      'mixed/new': ['registered', undefined],
    });
    expect([code, summary['others']]).toEqual([1, 2]);

    const { stdout } = await ada.machine.run(['register', '--mark', ada.markId, 'mixed']);
    expect(stdout.split('\n').sort()).toEqual([
      '',
      '5 files: 3 already registered, 2 registered by another user',
      `registered by another user  mixed/her secret: under ${secret}`,
      'registered by another user  mixed/hers: under Photos',
    ]);
  });

  it('is only checked in a dry run', async () => {
    const ada = await Registrant.create(service.url);
    await ada.createFolder('dry', 3);
    await ada.machine.file('dry/yours', 'dry yours');
    await ada.client.createArtifact({ markId: ada.markId, fingerprint: sha256('dry yours'), filename: 'x' });
    expect(await ada.machine.run(['register', '--dry-run', 'dry'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^(to be registered {2}dry\/00[123]\.txt\n){3}4 files: 3 to be .*, 1 already registered\n$/,
      ),
    });
    const { artifacts } = await ada.client.listArtifacts({ markId: ada.markId });
    expect(artifacts).toHaveLength(1);
    expect((await ada.register('dry')).summary).toMatchObject({ registered: 3, yours: 1, hashed: 0, sent: 3 });
  });

  it('is registered with --wait until all files are on chain', async () => {
    const ada = await Registrant.create(service.url);
    await ada.createFolder('waited', 6);
    const { code, files } = await ada.register('--wait', 'waited');
    expect([code, files.map(({ status }) => status)]).toEqual([0, Array(6).fill('submitted')]);
    await ada.createFolder('later', 2);
    await ada.register('later');
    const { files: later, summary } = await ada.register('later', '--wait');
    expect(later.map(({ status }) => status)).toEqual(['submitted', 'submitted']);
    expect(summary).toMatchObject({ hashed: 0, sent: 0 });
  });

  it('is registered while the public log is stopped, and says how to get the receipt later', async () => {
    const DATA_DIR = await newDataFolder();
    const stopped = await startService({ DATA_DIR });
    const ada = await Registrant.create(stopped.url);
    await ada.createFolder('logged', 1);
    expect((await ada.register('logged')).log?.status).toBe('included');
    const checkpoint = join(DATA_DIR, 'public-log/checkpoint');
    await writeFile(checkpoint, (await readFile(checkpoint, 'utf8')).replaceAll('/log', '/other'));
    await ada.createFolder('pending', 3);
    const { code, files, log } = await ada.register('pending/001.txt', 'pending/002.txt');
    expect([code, files.map(({ outcome }) => outcome)]).toEqual([0, ['registered', 'registered']]);
    expect(log?.status).toBe('pending');
    const { stdout, stderr } = await ada.machine.run(['register', 'pending/003.txt', '--format', '{fingerprint}']);
    const fingerprint = stdout.trim();
    expect(stderr).toContain('its receipt is pending');
    expect(stderr).toContain(`provenance verify ${fingerprint}`);
    expect(stderr).toContain(`provenance file bundle ${fingerprint}`);
  });

  it('is registered with --no-journal without leaving a file', async () => {
    const ada = await Registrant.create(service.url);
    await ada.createFolder('unrecorded', 2);
    expect((await ada.register('--no-journal', 'unrecorded')).summary).toMatchObject({ registered: 2 });
    expect(await readdir(join(ada.machine.home))).not.toContain('.local');
    const again = await ada.register('--no-journal', 'unrecorded');
    expect([again.code, again.summary]).toMatchObject([0, { yours: 2, hashed: 2, sent: 2 }]);
  });
});

describe('the Mark', () => {
  it('is optional if there is only one; otherwise all are listed', async () => {
    const ada = await Registrant.create(service.url);
    await ada.machine.file('file', 'under a Mark');
    const { id } = await ada.client.createMark({ name: 'Second' });
    const run = await ada.machine.run(['register', 'file']);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('You have several Marks: choose one with --mark: ');
    expect(run.stderr).toContain(`Photos (${ada.markId})`);
    expect(run.stderr).toContain(`Second (${id})`);
    for (const other of ['Secon', 'Second2', id.slice(0, -1), `${id}0`])
      expect((await ada.machine.run(['register', 'file', '--mark', other])).code).toBe(2);
    const nearMiss = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
    expect(await ada.register('file', '--mark', nearMiss)).toMatchObject({ code: 1, summary: { registered: 0 } });
    expect((await ada.machine.run(['config', 'set', 'mark', id])).code).toBe(0);
    expect(await ada.register('file')).toMatchObject({ mark: { id, name: 'Second' }, summary: { registered: 1 } });
    expect(await ada.register('file', '--mark', ada.markId)).toMatchObject({ mark: { id: ada.markId } });
  });

  it('of another user stops the run at the first file', async () => {
    const [ada, bea] = [await Registrant.create(service.url), await Registrant.create(service.url)];
    await ada.createFolder('wrong', 100);
    const { code, stopped, summary } = await ada.register('wrong', '--mark', bea.markId);
    expect([code, stopped?.code, summary]).toMatchObject([1, 'FORBIDDEN', { files: 100, left: 100, registered: 0 }]);
    expect(summary['sent']).toBeLessThanOrEqual(8);
  });

  it('is not needed to report a missing login', async () => {
    const ada = await Registrant.create(service.url);
    const anonymous = ada.machine.with({ PROVENANCE_TOKEN: '' });
    expect(await anonymous.run(['register', '.'])).toMatchObject({ code: 3, stderr: expect.stringContaining('log') });
    expect((await ada.machine.run(['register', '--concurrency', '0', '.'])).code).toBe(2);
    expect((await ada.machine.run(['register'])).code).toBe(2);
  });
});
