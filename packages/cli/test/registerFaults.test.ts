// `provenance register` when things go wrong: killed, interrupted, refused, with a service that fails or is away, with a
// disk that is full.

import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { waitForDayBoundary } from '../../../test/support/dayBoundary.js';
import { type Service, startService } from '../../../test/support/service.js';
import { type Creation, outcomes, Registrant, Way } from './support/registering.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});

const run = promisify(execFile);

/** What a run has written into its journal so far: whether each fingerprint is registered. */
async function journalOf(ada: Registrant): Promise<Map<string, boolean>> {
  const folder = join(ada.machine.home, '.local/state/provenance/register');
  const [name = ''] = await readdir(folder);
  const lines = (await readFile(join(folder, name), 'utf8')).split('\n').slice(1, -1);
  const records: { fingerprint: string; registered?: object }[] = lines.map((line) => JSON.parse(line));
  return new Map(records.map(({ fingerprint, registered }) => [fingerprint, registered !== undefined]));
}

/** Every creation was always sent with the same key. */
function expectOneKeyEach(creations: readonly Creation[]): void {
  const keys = new Set(creations.map(({ fingerprint, key }) => `${fingerprint} ${key}`));
  expect(keys.size).toBe(new Set(creations.map(({ fingerprint }) => fingerprint)).size);
}

describe('a run that is killed', () => {
  it('goes on where it was: nothing is read twice, and nothing that was answered is sent twice', async () => {
    const way = await Way.open(service.url);
    const ada = (await Registrant.create(service.url)).by(way.url);
    await ada.folder('killed', 60);
    // Some answers never arrive.
    way.fate = () => (way.creations.length % 5 === 0 ? 'held' : 'pass');
    const running = ada.machine.spawn('bash', ['-c', 'exec provenance register killed']);
    // It cannot come to its end: with eight of those under way, nothing else is.
    const registered = async () => [...(await journalOf(ada)).values()].filter((isRegistered) => isRegistered).length;
    await expect.poll(registered).toBeGreaterThanOrEqual(20);
    running.process.kill('SIGKILL');
    await running.end;
    const journal = await journalOf(ada);
    const first = [...way.creations];
    way.fate = () => 'pass';

    const { code, summary } = await ada.register('killed');
    expect([code, (summary['registered'] ?? 0) + (summary['yours'] ?? 0)]).toEqual([0, 60]);
    expect(summary).toMatchObject({ hashed: 60 - journal.size, fromJournal: journal.size });
    const done = [...journal].filter(([, isRegistered]) => isRegistered).map(([fingerprint]) => fingerprint);
    expect(done.length).toBeGreaterThanOrEqual(20);
    expect(summary['sent']).toBe(60 - done.length);
    expectOneKeyEach(way.creations);
    const again = way.creations.slice(first.length).map(({ fingerprint }) => fingerprint);
    expect(again.filter((fingerprint) => done.includes(fingerprint))).toEqual([]);
    // What was sent and not answered was written down before.
    for (const { fingerprint } of first) expect(journal.has(fingerprint)).toBe(true);
    const { artifacts } = await ada.client.listArtifacts({ markId: ada.markId, limit: 200 });
    expect(artifacts).toHaveLength(60);
  });

  it('keeps others off its journal only as long as it lives', async () => {
    const way = await Way.open(service.url);
    const ada = (await Registrant.create(service.url)).by(way.url);
    await ada.folder('locked', 2);
    way.fate = () => 'held';
    const running = ada.machine.spawn('bash', ['-c', 'exec provenance register locked']);
    await way.until((creations) => creations.length === 2);
    const second = await ada.machine.run(['register', 'locked']);
    expect([second.code, second.stderr]).toEqual([3, expect.stringContaining('Another run is registering')]);
    running.process.kill('SIGKILL');
    await running.end;
    way.fate = () => 'pass';
    expect((await ada.register('locked')).summary).toMatchObject({ registered: 2, hashed: 0 });
  });
});

describe('Ctrl-C', () => {
  it('ends a run when what is under way is done, and the same command goes on', async () => {
    const way = await Way.open(service.url);
    const ada = (await Registrant.create(service.url)).by(way.url);
    await ada.folder('stopped', 40);
    // Twelve are answered, and eight are under way when it is told to end.
    way.fate = () => (way.creations.length <= 12 ? 'pass' : 'held');
    const running = ada.machine.terminal('provenance register stopped');
    await way.until((creations) => creations.length === 20);
    running.type('\u0003');
    await running.shows('Finishing what is under way.');
    way.release();
    const { code, stdout } = await running.end;
    expect(code).toBe(130);
    expect(stdout).toContain('The same command goes on from here.');
    expect(way.creations.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(stdout).toContain('20 registered');
    const { summary } = await ada.register('stopped');
    expect(summary).toMatchObject({ registered: 20, yours: 20, sent: 20 });
    expect(way.creations).toHaveLength(40);
  });

  it('twice ends it at once', async () => {
    const way = await Way.open(service.url);
    const ada = (await Registrant.create(service.url)).by(way.url);
    await ada.folder('hung', 2);
    way.fate = () => 'held';
    const running = ada.machine.terminal('provenance register hung');
    await way.until((creations) => creations.length === 2);
    running.type('\u0003');
    await running.shows('Ctrl-C again ends it at once');
    running.type('\u0003');
    expect((await running.end).code).toBe(130);
  });
});

describe('a service', () => {
  it('that fails half of the time gets everything in the end', async () => {
    const way = await Way.open(service.url);
    const ada = (await Registrant.create(service.url)).by(way.url);
    await ada.folder('halved', 16);
    way.fate = () => (way.creations.length <= 16 && way.creations.length % 2 === 0 ? 503 : 'pass');
    const { code, summary } = await ada.register('halved');
    expect([code, summary]).toMatchObject([0, { registered: 16, sent: 16 }]);
    expect(way.creations).toHaveLength(24);
    expectOneKeyEach(way.creations);
  });

  it('whose answers get lost is not taken for one that registered nothing', async () => {
    const way = await Way.open(service.url);
    const ada = (await Registrant.create(service.url)).by(way.url);
    await ada.folder('lost', 6);
    way.fate = () => (way.creations.length <= 6 ? 'lost' : 'pass');
    const { code, summary } = await ada.register('lost');
    expect([code, summary]).toMatchObject([0, { registered: 6, sent: 6 }]);
    expect(way.creations.map(({ status }) => status)).toEqual(Array(12).fill(201));
  });

  it('that refuses a file is believed, and the rest goes on', async () => {
    const way = await Way.open(service.url);
    const ada = (await Registrant.create(service.url)).by(way.url);
    await ada.folder('picky', 4);
    way.fate = () => (way.creations.length === 1 ? 400 : 'pass');
    const { code, stdout } = await ada.machine.run(['register', '--concurrency', '1', 'picky']);
    expect([code, stdout]).toEqual([1, '4 files: 3 registered, 1 refused\nrefused  picky/001.txt: Not now.\n']);
    expect((await ada.register('picky')).summary).toMatchObject({ registered: 1, yours: 3, hashed: 0, sent: 1 });
  });

  it('that dies and comes back is waited for', async () => {
    const way = await Way.open(service.url);
    const ada = (await Registrant.create(service.url)).by(way.url);
    await ada.folder('back', 20);
    const running = ada.machine.terminal('provenance register back');
    await way.until((creations) => creations.length >= 10);
    await way.close();
    await running.shows('trying again');
    await way.reopen();
    const { code, stdout } = await running.end;
    expect(code).toBe(0);
    expect(stdout).toMatch(/20 files: 20 registered/);
  });

  it('that knows the caller no more ends the run, and says what to do', async () => {
    const way = await Way.open(service.url);
    const ada = (await Registrant.create(service.url)).by(way.url);
    await ada.folder('expired', 40);
    way.fate = () => (way.creations.length > 10 ? 401 : 'pass');
    const { code, summary, stopped } = await ada.register('expired');
    expect([code, stopped?.code, summary]).toMatchObject([3, 'UNAUTHORIZED', { registered: 10, left: 30, failed: 0 }]);
    expect(stopped?.message).toContain('provenance login');
    expect(summary['sent']).toBeLessThanOrEqual(18);
  });

  it('whose daily cap is reached is left alone until the day is over', async () => {
    await waitForDayBoundary();
    const ada = await Registrant.create(service.url, 'free');
    await ada.folder('capped', 70);
    await ada.register('capped/070.txt');
    const { code, stdout } = await ada.machine.run(['register', 'capped']);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^70 files: 24 registered, 1 already yours, 45 left\nDaily artifact limit reached\. The day's count begins anew at \S+T00:00:00.000Z\. The same command goes on from here\.\n$/,
    );
    const again = await ada.register('capped');
    expect(again.summary).toMatchObject({ files: 70, yours: 25, left: 45 });
    expect(again.summary['sent']).toBeLessThanOrEqual(8);
  });
});

describe('a full disk', () => {
  it('under the journal ends the run: what was registered is told, and the rest goes on when there is room', async () => {
    const way = await Way.open(service.url);
    const ada = (await Registrant.create(service.url)).by(way.url);
    await ada.folder('full', 40);
    const state = join(ada.machine.home, 'state');
    await mkdir(state);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) await run('mount', ['-t', 'tmpfs', '-o', 'size=12k', 'tmpfs', state]);
    try {
      // Without a disk of one's own, a limit on the size of files has the same effect.
      const limit = isRoot ? '' : 'ulimit -f 10; ';
      const line = `${limit}XDG_STATE_HOME=${state} exec provenance register full --json`;
      const stopped = await ada.machine.shell(line);
      const report = JSON.parse(stopped.stdout);
      expect([stopped.code, report.stopped.code]).toEqual([3, 'JOURNAL_PROBLEM']);
      const registered = way.creations.filter(({ status }) => status === 201).map(({ fingerprint }) => fingerprint);
      expect(registered.length).toBeGreaterThan(0);
      expect(report.summary).toMatchObject({ files: 40, registered: registered.length, left: 40 - registered.length });
      const told: { fingerprint: string }[] = report.files;
      expect(told.map(({ fingerprint }) => fingerprint).sort()).toEqual(registered.sort());

      if (isRoot) await run('mount', ['-o', 'remount,size=1m', state]);
      const rest = JSON.parse((await ada.machine.shell(line.replace(limit, ''))).stdout);
      expect(rest.summary).toMatchObject({ files: 40, left: 0, failed: 0, refused: 0 });
      expectOneKeyEach(way.creations);
    } finally {
      if (isRoot) await run('umount', [state]);
    }
  });

  it('from the start, or a state folder that cannot be written, ends the run before anything is sent', async () => {
    const way = await Way.open(service.url);
    const ada = (await Registrant.create(service.url)).by(way.url);
    await ada.folder('readonly', 2);
    await ada.machine.file('occupied', 'a file where a folder should be');
    const blocked = ada.machine.with({ XDG_STATE_HOME: join(ada.machine.home, 'occupied') });
    const { code, stderr } = await blocked.run(['register', 'readonly']);
    expect([code, way.creations]).toEqual([3, []]);
    expect(stderr).toMatch(/^provenance: The journal .* cannot be written: a part of the path is no folder/);
    expect(stderr).toContain('--no-journal');
  });
});

describe('in a terminal', () => {
  it('a bar shows how many files, how much of them, how fast and how long', async () => {
    const way = await Way.open(service.url);
    const ada = (await Registrant.create(service.url)).by(way.url);
    await ada.folder('shown', 40);
    const { code, stdout } = await ada.machine.terminal('provenance register shown').end;
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /\rRegistering {2}\[#+-+\] {2,4}\d+% {2}\d+ of 40 {2}[\d.]+\/s {2}\d+:\d\d left {2}[\d.]+ k?B of/,
    );
    expect(stdout).toMatch(/40 files: 40 registered/);
    const piped = await ada.machine.run(['register', 'shown']);
    expect(piped).toEqual({ code: 0, stdout: '40 files: 40 already yours\n', stderr: '' });
    expect(outcomes(await ada.register('shown'))).toMatchObject({ 'shown/001.txt': 'yours' });
  });
});
