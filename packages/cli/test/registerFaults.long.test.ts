// `provenance register` when it is interrupted or refused, when the service fails, and when the disk is full.

import { execFile } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { waitForDayBoundary } from '../../../test/support/dayBoundary.js';
import { toTestFile } from '../../../test/support/files.js';
import { type Service, startService } from '../../../test/support/service.js';
import { expectOneKeyEach, FaultyProxy, outcomesByPath, Registrant } from './support/registration.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});

const runProgram = promisify(execFile);
const inTerminal = { isTerminal: true };

describe('Ctrl-C', () => {
  it('stops a run after its pending requests, and the same command continues it', async () => {
    const proxy = await FaultyProxy.open(service.url);
    const ada = (await Registrant.create(service.url)).via(proxy.url);
    await ada.createFolder('stopped', 28);
    // Twelve are answered, and eight are pending when it is interrupted.
    proxy.decideFault = () => (proxy.creations.length <= 12 ? 'none' : 'hold');
    const running = ada.machine.terminal('provenance register --timeout 0 --authorship not-stated stopped');
    await proxy.waitUntil((creations) => creations.length === 20);
    running.type('\u0003');
    await running.waitForOutput('Finishing pending requests.');
    proxy.release();
    const { code, stdout } = await running.end;
    expect(code).toBe(130);
    expect(stdout).toContain('Run the same command again to continue.');
    expect(proxy.creations.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(stdout).toContain('28 files: 20 registered, 8 remaining');
    const { summary } = await ada.register('stopped');
    expect(summary).toMatchObject({ registered: 8, yours: 20, sent: 8 });
    expect(proxy.creations).toHaveLength(28);
  });

  it('twice stops it immediately', async () => {
    const proxy = await FaultyProxy.open(service.url);
    const ada = (await Registrant.create(service.url)).via(proxy.url);
    await ada.createFolder('hung', 2);
    proxy.decideFault = () => 'hold';
    const running = ada.machine.terminal('provenance register --timeout 0 --authorship not-stated hung');
    await proxy.waitUntil((creations) => creations.length === 2);
    running.type('\u0003');
    await running.waitForOutput('Press Ctrl-C again to stop immediately');
    running.type('\u0003');
    expect((await running.end).code).toBe(130);
  });
});

describe('a service', () => {
  it('that fails half of the requests gets every file registered', async () => {
    const proxy = await FaultyProxy.open(service.url);
    const ada = (await Registrant.create(service.url)).via(proxy.url);
    await ada.createFolder('halved', 16);
    proxy.decideFault = () => (proxy.creations.length <= 16 && proxy.creations.length % 2 === 0 ? 503 : 'none');
    const { code, summary } = await ada.register('halved');
    expect([code, summary]).toMatchObject([0, { registered: 16, sent: 16 }]);
    expect(proxy.creations).toHaveLength(24);
    expectOneKeyEach(proxy.creations);
  });

  it('whose responses get lost still has every file registered once', async () => {
    const proxy = await FaultyProxy.open(service.url);
    const ada = (await Registrant.create(service.url)).via(proxy.url);
    await ada.createFolder('lost', 6);
    proxy.decideFault = () => (proxy.creations.length <= 6 ? 'drop-response' : 'none');
    const { code, summary } = await ada.register('lost');
    expect([code, summary]).toMatchObject([0, { registered: 6, sent: 6 }]);
    expect(proxy.creations.map(({ status }) => status)).toEqual(Array(12).fill(201));
  });

  it('that refuses a file gets the others', async () => {
    const proxy = await FaultyProxy.open(service.url);
    const ada = (await Registrant.create(service.url)).via(proxy.url);
    await ada.createFolder('picky', 4);
    const { fingerprint: refused } = toTestFile(await readFile(join(ada.machine.home, 'picky/001.txt')));
    let isFixed = false;
    proxy.decideFault = ({ fingerprint }) => (isFixed || fingerprint !== refused ? 'none' : 400);
    const { code, stdout } = await ada.machine.run(['register', 'picky']);
    isFixed = true;
    expect([code, stdout]).toEqual([1, '4 files: 3 registered, 1 refused\nrefused  picky/001.txt: Not now.\n']);
    expect((await ada.register('picky')).summary).toMatchObject({ registered: 1, yours: 3, hashed: 0, sent: 1 });
  });

  it('that no longer accepts the token stops the run, with advice', async () => {
    const proxy = await FaultyProxy.open(service.url);
    const ada = (await Registrant.create(service.url)).via(proxy.url);
    await ada.createFolder('expired', 28);
    proxy.decideFault = () => (proxy.creations.length > 10 ? 401 : 'none');
    const { code, summary, stopped } = await ada.register('expired');
    expect([code, stopped?.code, summary]).toMatchObject([3, 'UNAUTHORIZED', { registered: 10, left: 18, failed: 0 }]);
    expect(stopped?.message).toContain('provenance login');
    expect(summary['sent']).toBeLessThanOrEqual(18);
  });

  it('whose daily limit is reached stops the run, which says when to continue', async () => {
    await waitForDayBoundary();
    const ada = await Registrant.create(service.url, 'free');
    await ada.createFolder('capped', 70);
    await ada.register('capped/070.txt');
    const { code, stdout } = await ada.machine.run(['register', 'capped']);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^70 files: 24 registered, 1 already registered, 45 remaining\nDaily artifact limit reached\. The daily limit resets at \S+T00:00:00.000Z\. Run the same command again to continue\.\n$/,
    );
    const secondRun = await ada.register('capped');
    expect(secondRun.summary).toMatchObject({ files: 70, yours: 25, left: 45 });
    expect(secondRun.summary['sent']).toBeLessThanOrEqual(8);
  });
});

describe('a full disk', () => {
  it('under the journal stops the run; registered files are reported, and a later run continues', async () => {
    const proxy = await FaultyProxy.open(service.url);
    const ada = (await Registrant.create(service.url)).via(proxy.url);
    await ada.createFolder('full', 40);
    const state = join(ada.machine.home, 'state');
    await mkdir(state);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) await runProgram('mount', ['-t', 'tmpfs', '-o', 'size=12k', 'tmpfs', state]);
    try {
      // Without the right to mount, a limit on the file size has the same effect.
      const limit = isRoot ? '' : 'ulimit -f 10; ';
      const line = `${limit}XDG_STATE_HOME=${state} exec provenance register full --json`;
      const stopped = await ada.machine.shell(line);
      const report = JSON.parse(stopped.stdout);
      expect([stopped.code, report.stopped.code]).toEqual([3, 'JOURNAL_PROBLEM']);
      const registered = proxy.creations.filter(({ status }) => status === 201).map(({ fingerprint }) => fingerprint);
      expect(registered.length).toBeGreaterThan(0);
      expect(report.summary).toMatchObject({ files: 40, registered: registered.length, left: 40 - registered.length });
      const reported: { fingerprint: string }[] = report.files;
      expect(reported.map(({ fingerprint }) => fingerprint).sort()).toEqual(registered.sort());

      if (isRoot) await runProgram('mount', ['-o', 'remount,size=1m', state]);
      const rest = JSON.parse((await ada.machine.shell(line.replace(limit, ''))).stdout);
      expect(rest.summary).toMatchObject({ files: 40, left: 0, failed: 0, refused: 0 });
      expectOneKeyEach(proxy.creations);
    } finally {
      if (isRoot) await runProgram('umount', [state]);
    }
  });

  it('or an unwritable state folder stops the run before anything is sent', async () => {
    const proxy = await FaultyProxy.open(service.url);
    const ada = (await Registrant.create(service.url)).via(proxy.url);
    await ada.createFolder('readonly', 2);
    await ada.machine.file('occupied', 'a file where a folder should be');
    const unwritable = ada.machine.with({ XDG_STATE_HOME: join(ada.machine.home, 'occupied') });
    const { code, stderr } = await unwritable.run(['register', 'readonly']);
    expect([code, proxy.creations]).toEqual([3, []]);
    expect(stderr).toMatch(/^provenance: Cannot write the journal .*: not a directory/m);
    expect(stderr).toContain('--no-journal');
  });
});

describe('in a terminal', () => {
  it('it asks once whether you made the files, and Ctrl-C registers nothing', async () => {
    const ada = await Registrant.create(service.url);
    await ada.createFolder('asked', 2);
    const running = ada.machine.start(['register', 'asked'], inTerminal);
    await running.waitForOutput('State that you did, or may? [y/N] ');
    running.type('\u0003');
    const { code, stdout } = await running.end;
    expect(code).toBe(3);
    expect(stdout).toContain('Interrupted: nothing was registered.');
    expect((await ada.client.listArtifacts({ markId: ada.markId })).artifacts).toEqual([]);
  });

  it('a progress bar shows files, bytes, rate and remaining time', async () => {
    const proxy = await FaultyProxy.open(service.url);
    const ada = (await Registrant.create(service.url)).via(proxy.url);
    await ada.createFolder('shown', 24);
    // Requests of a dry run are answered faster than the journal is written.
    const checked = await ada.machine.start(['register', '--dry-run', 'shown'], inTerminal).end;
    expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('24 files: 24 to be registered')]);
    await rm(join(ada.machine.home, '.local'), { recursive: true });
    // Eight files are retried after half a second or more, when there is a rate to show.
    proxy.decideFault = () => (proxy.creations.length <= 8 ? 503 : 'none');
    const running = ada.machine.start(['register', 'shown'], inTerminal);
    await running.waitForOutput('State that you did, or may? [y/N] ');
    running.type('y\r');
    const { code, stdout } = await running.end;
    expect(code).toBe(0);
    const { artifacts } = await ada.client.listArtifacts({ markId: ada.markId });
    expect(artifacts.filter(({ authorshipStated }) => authorshipStated)).toHaveLength(24);
    expect(stdout).toMatch(
      /\rRegistering {2}\[#+-+\] {2,4}\d+% {2}\d+ of 24 {2}[\d.]+\/s {2}\d+:\d\d left {2}[\d.]+ k?B of/,
    );
    expect(stdout).toMatch(/24 files: 24 registered/);
    const piped = await ada.machine.run(['register', 'shown']);
    expect(piped).toMatchObject({ code: 0, stdout: '24 files: 24 already registered\n' });
    expect(outcomesByPath(await ada.register('shown'))).toMatchObject({ 'shown/001.txt': 'yours' });
  });
});
