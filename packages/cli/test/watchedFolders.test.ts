// `provenance service` against the real service: what it registers, what it waits for, and what `provenance status` tells.

import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { appendFile, chmod, mkdir, open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Service, startService } from '../../../test/support/service.js';
import { ServiceStatus } from '../src/service/status.js';
import type { Machine, RunningProcess } from './support/machine.js';
import { FaultyProxy, Registrant } from './support/registration.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});

const sha256 = (content: string): `0x${string}` => `0x${createHash('sha256').update(content).digest('hex')}`;
const FREE_DAILY_LIMIT = 25;
const POLL = { timeout: 60_000, interval: 2000 };

async function readStatus({ machine }: Registrant) {
  const { code, result } = await machine.json(['status']);
  if (!Value.Check(ServiceStatus, result)) throw new Error(`not a status: ${JSON.stringify(result)}`);
  const [first] = result.folders;
  if (!first) throw new Error('no folder');
  return { ...result, code, first };
}

/** Watches these folders and starts the service. */
async function watch(user: Registrant, ...folders: readonly string[]): Promise<RunningProcess> {
  for (const folder of folders) {
    await mkdir(join(user.machine.home, folder), { recursive: true });
    const { code } = await user.machine.json(['service', 'add', folder, '--mark', user.markId]);
    expect(code).toBe(0);
  }
  return startWatching(user);
}

/** Ended also when a test fails. */
const started: RunningProcess[] = [];
afterAll(() => started.map(({ process }) => process.kill('SIGKILL')));

function spawnService(machine: Machine): RunningProcess {
  const running = machine.spawn('bash', ['-c', 'exec provenance service run --json']);
  started.push(running);
  return running;
}

async function startWatching({ machine }: Registrant): Promise<RunningProcess> {
  const running = spawnService(machine);
  await running.waitForOutput('Watching ');
  return running;
}

async function stopWatching({ process, end }: RunningProcess): Promise<string> {
  process.kill('SIGTERM');
  const { code, stdout, stderr } = await end;
  expect([code, JSON.parse(stdout)]).toEqual([143, { profile: 'default', status: 'stopped' }]);
  return stderr;
}

it.concurrent('each folder has its own Mark and rules, and a moved file keeps its registration', async ({ expect }) => {
  const ada = await Registrant.create(service.url);
  const { machine, client } = ada;
  const { id: clientsMark } = await client.createMark({ name: 'Clients' });
  const own = `own ${randomUUID()}`;
  const ordered = `ordered ${randomUUID()}`;
  await machine.file('photos/own.jpg', own);
  await machine.file('photos/notes.xmp', 'ignored');
  await machine.file('photos/clients/ordered.jpg', ordered);
  const addOwn = ['service', 'add', 'photos', '--mark', ada.markId, '--authorship', 'stated', '--ignore', '*.xmp'];
  expect((await machine.json(addOwn)).result).toMatchObject({ files: 2, authorshipStated: true });
  await machine.json(['service', 'add', 'photos/clients', '--mark', clientsMark]);
  await machine.shell('ln -s photos alias');
  expect((await machine.run(['service', 'add', 'alias', '--mark', ada.markId])).stderr).toContain('the same folder as');
  expect(await readStatus(ada)).toMatchObject({ code: 1, service: 'not-running', pid: null });

  const running = await startWatching(ada);
  await running.waitForOutput('Registered /');
  await expect
    .poll(() => readStatus(ada), POLL)
    .toMatchObject({
      code: 0,
      service: 'running',
      pid: running.process.pid,
      folders: [
        {
          mark: ada.markId,
          registered: 1,
          waiting: 0,
          ignore: ['*.xmp'],
          lastRegistration: { at: expect.any(String) },
        },
        { mark: clientsMark, registered: 1, waiting: 0, problems: [] },
      ],
    });
  expect(await client.getArtifact({ fingerprint: sha256(own) })).toMatchObject({ mark: { id: ada.markId } });
  expect(await client.getArtifact({ fingerprint: sha256(ordered) })).toMatchObject({ mark: { id: clientsMark } });
  const second = await machine.run(['service', 'run']);
  expect([second.code, second.stderr]).toEqual([3, expect.stringContaining('already running')]);

  await rename(join(machine.home, 'photos/own.jpg'), join(machine.home, 'photos/clients/renamed.jpg'));
  await expect
    .poll(() => readStatus(ada), POLL)
    .toMatchObject({
      code: 0,
      folders: [{ registered: 0 }, { registered: 2, waiting: 0, failed: 0 }],
    });
  const log = await stopWatching(running);
  expect(log.match(/^Registered /gm)).toHaveLength(2);
  expect(await client.getArtifact({ fingerprint: sha256(own) })).toMatchObject({ mark: { id: ada.markId } });
  // A file that is hashed gets a line before it is sent.
  const lines = await machine.shell('grep -h renamed.jpg .local/state/provenance/register/*.jsonl');
  expect(
    lines.stdout
      .trim()
      .split('\n')
      .map((line) => 'registered' in JSON.parse(line)),
  ).toEqual([true]);
});

it.concurrent('a growing file is registered once, when it is complete', async ({ expect }) => {
  const ada = await Registrant.create(service.url);
  const running = await watch(ada, 'incoming');
  const path = join(ada.machine.home, 'incoming/video.mov');
  const start = randomUUID();
  const copy = await open(path, 'w');
  await copy.write(start);
  await appendFile(join(ada.machine.home, 'incoming/done.txt'), randomUUID());
  // The copy has stalled for as long as the other file took.
  await running.waitForOutput('Registered ');
  await expect.poll(() => readStatus(ada), POLL).toMatchObject({ first: { registered: 1, waiting: 1 } });
  await copy.write(' and the end');
  await copy.close();
  await running.waitForOutput('video.mov');
  await expect.poll(() => readStatus(ada), POLL).toMatchObject({ first: { registered: 2, waiting: 0 } });
  const log = await stopWatching(running);
  expect(log.match(/video\.mov/g)).toHaveLength(1);
  const { metadata } = await ada.client.getArtifact({ fingerprint: sha256(`${start} and the end`) });
  expect(metadata.size).toBe((await stat(path)).size);
});

it.concurrent('files wait while there is no connection, and a killed service neither loses nor repeats any', async ({
  expect,
}) => {
  const proxy = await FaultyProxy.open(service.url);
  const ada = (await Registrant.create(service.url)).via(proxy.url);
  await ada.createFolder('photos', 1);
  proxy.decideFault = () => 'drop-response';
  const first = await watch(ada, 'photos');
  await proxy.waitUntil((creations) => creations.some(({ status }) => status === 201));
  first.process.kill('SIGKILL');
  await first.end;
  await proxy.close();
  expect(await readStatus(ada)).toMatchObject({ code: 1, service: 'not-running' });

  const running = await startWatching(ada);
  await running.waitForOutput('No connection:');
  await ada.createFolder('photos/more', 2);
  await expect
    .poll(() => readStatus(ada), POLL)
    .toMatchObject({
      code: 1,
      service: 'running',
      pause: { code: 'network', since: expect.any(String), retryAt: expect.any(String) },
      first: { registered: 0, waiting: 3 },
    });
  proxy.decideFault = () => 'none';
  await proxy.reopen();
  await expect.poll(() => readStatus(ada), POLL).toMatchObject({ code: 0, pause: null, first: { registered: 3 } });
  const log = await stopWatching(running);
  expect(log.match(/No connection:|Connected again/g)).toEqual(['No connection:', 'Connected again']);
  const keys = new Map(proxy.creations.map(({ fingerprint, key }) => [fingerprint, key]));
  expect(keys.size).toBe(3);
  for (const { fingerprint, key } of proxy.creations) expect(keys.get(fingerprint)).toBe(key);
});

it.concurrent('a revoked login and a full quota are told, and end without a restart', async ({ expect }) => {
  const ada = await Registrant.create(service.url, 'free');
  const { machine, client } = ada;
  const saved = machine.with({ PROVENANCE_TOKEN: '' });
  const logIn = (token: string) => saved.run(['login', '--with-token'], token);
  await logIn(ada.token);
  const add = ['service', 'add', await ada.createFolder('photos', FREE_DAILY_LIMIT + 1), '--mark', ada.markId];
  await saved.json(add);
  const { user } = await client.getMe();
  const { token } = await client.logIn({ email: user.email ?? '', password: 'correct horse battery' });
  await client.logOut();
  const running = spawnService(saved);
  await expect.poll(() => readStatus(ada), POLL).toMatchObject({ code: 1, pause: { code: 'login', retryAt: null } });

  await logIn(token);
  const quota = { code: 'quota', retryAt: expect.stringMatching(/T00:00:00/) };
  await expect
    .poll(() => readStatus(ada), POLL)
    .toMatchObject({ code: 1, pause: null, first: { registered: FREE_DAILY_LIMIT, waiting: 1, pause: quota } });
  await saved.run(['subscribe', 'enterprise']);
  await saved.json([...add, '--authorship', 'stated']);
  await expect
    .poll(() => readStatus(ada), POLL)
    .toMatchObject({ code: 0, first: { registered: FREE_DAILY_LIMIT + 1, authorshipStated: true, pause: null } });
  await stopWatching(running);
});

it.concurrent('a folder that is renamed away is told, and continues when it is back', async ({ expect }) => {
  const ada = await Registrant.create(service.url);
  await ada.createFolder('drive', 2);
  const running = await watch(ada, 'drive');
  await expect.poll(() => readStatus(ada), POLL).toMatchObject({ first: { registered: 2 } });
  const [drive, away] = [join(ada.machine.home, 'drive'), join(ada.machine.home, 'away')];
  await rename(drive, away);
  await expect
    .poll(() => readStatus(ada), POLL)
    .toMatchObject({
      code: 1,
      first: { registered: 2, pause: { code: 'folder', message: expect.stringContaining('missing') } },
    });
  await writeFile(join(away, 'new.txt'), randomUUID());
  await rename(away, drive);
  await expect.poll(() => readStatus(ada), POLL).toMatchObject({ code: 0, first: { registered: 3, pause: null } });
  expect((await ada.machine.json(['service', 'remove', 'drive'])).code).toBe(0);
  await running.waitForOutput('No longer watching');
  expect((await stopWatching(running)).match(/^Registered /gm)).toHaveLength(3);
});

it.concurrent('install writes and starts a unit that systemd accepts, and uninstall removes it', async ({ expect }) => {
  const ada = await Registrant.create(service.url);
  const { machine } = ada;
  const systemctl = join(machine.home, '.bin/systemctl');
  const withoutToken = await machine.run(['service', 'install']);
  expect([withoutToken.code, withoutToken.stderr]).toEqual([2, expect.stringContaining('provenance login')]);
  const saved = machine.with({ PROVENANCE_URL: '', PROVENANCE_TOKEN: '' });
  await machine.with({ PROVENANCE_TOKEN: '' }).run(['login', '--with-token'], ada.token);
  const withoutSystemd = await saved
    .with({ PATH: join(machine.home, '.bin') })
    .spawn(process.execPath, [...[join(import.meta.dirname, '../bundle/main.js'), 'service', 'install']]).end;
  expect([withoutSystemd.code, withoutSystemd.stderr]).toEqual([3, expect.stringContaining('watched-folders.md')]);

  await machine.file('.bin/systemctl', `#!/bin/sh\necho "$@" >> '${machine.home}/calls'\n`);
  await chmod(systemctl, 0o755);
  for (const isChanged of [true, false]) {
    expect(await saved.json(['service', 'install'])).toMatchObject({ code: 0, result: { isChanged } });
  }
  expect((await saved.run(['service', 'install'])).stdout).toContain('journalctl --user --unit provenance.service');
  const unit = join(machine.home, '.config/systemd/user/provenance.service');
  const env = { ...process.env, HOME: machine.home, XDG_RUNTIME_DIR: machine.home };
  await promisify(execFile)('systemd-analyze', ['--user', 'verify', unit], { env });
  expect(await saved.json(['service', 'uninstall'])).toMatchObject({
    code: 0,
    result: { file: unit, isChanged: true },
  });
  expect(await saved.json(['service', 'uninstall'])).toMatchObject({ code: 0, result: { isChanged: false } });
  const installCalls = ['show-environment', 'daemon-reload', 'enable provenance.service', 'restart provenance.service'];
  const calls = [
    ...installCalls,
    ...installCalls,
    ...installCalls,
    'disable --now provenance.service',
    'daemon-reload',
  ];
  expect((await readFile(join(machine.home, 'calls'), 'utf8')).trim().split('\n')).toEqual(
    calls.map((call) => `--user ${call}`),
  );
});
