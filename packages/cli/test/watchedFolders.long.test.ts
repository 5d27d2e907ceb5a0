// `provenance watch` when files grow, folders move, the login ends, and when there is no connection.

import { createHash } from 'node:crypto';
import { appendFile, open, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, it } from 'vitest';
import { randomUUID } from '../../../test/support/random.js';
import { type Service, startService } from '../../../test/support/service.js';
import { FaultyProxy, Registrant } from './support/registration.js';
import {
  addFolders,
  POLL,
  readStatus,
  startWatcher,
  startWatcherProcess,
  stopWatching,
  watch,
} from './support/watching.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});

const sha256 = (content: string): `0x${string}` => `0x${createHash('sha256').update(content).digest('hex')}`;
const FREE_DAILY_LIMIT = 25;

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
  await addFolders(ada, 'photos');
  const first = await startWatcherProcess(ada);
  await proxy.waitUntil((creations) => creations.some(({ status }) => status === 201));
  first.process.kill('SIGKILL');
  await first.end;
  await proxy.close();
  expect(await readStatus(ada)).toMatchObject({ code: 1, service: 'not-running' });

  const running = await startWatcherProcess(ada);
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
  running.process.kill('SIGTERM');
  const { code, stdout, stderr: log } = await running.end;
  expect([code, JSON.parse(stdout)]).toEqual([143, { profile: 'default', status: 'stopped' }]);
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
  const add = ['watch', 'add', await ada.createFolder('photos', FREE_DAILY_LIMIT + 1), '--mark', ada.markId];
  await saved.json(add);
  const { user } = await client.getMe();
  const { token } = await client.logIn({ email: user.email ?? '', password: 'correct horse battery' });
  await client.logOut();
  const running = startWatcher(saved);
  await expect.poll(() => readStatus(ada), POLL).toMatchObject({ code: 1, pause: { code: 'login', retryAt: null } });

  await logIn(token);
  const quota = { code: 'quota', retryAt: expect.stringMatching(/T00:00:00/) };
  await expect
    .poll(() => readStatus(ada), POLL)
    .toMatchObject({ code: 1, pause: null, first: { registered: FREE_DAILY_LIMIT, waiting: 1, pause: quota } });
  await saved.run(['account', 'subscribe', 'enterprise']);
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
  expect((await ada.machine.json(['watch', 'remove', 'drive'])).code).toBe(0);
  await running.waitForOutput('No longer watching');
  expect((await stopWatching(running)).match(/^Registered /gm)).toHaveLength(3);
});
