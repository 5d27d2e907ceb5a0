// The embedded database: first start, kills and restarts, and unusable data folders.

import { once } from 'node:events';
import { chmod, chown, lstat, mkdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../../../test/support/ports.js';
import {
  call,
  launchService,
  newDataFolder,
  type ServiceProcess,
  signUp,
  startEmbeddedService,
  temporaryFolder,
  waitUntilReady,
} from '../../../../test/support/service.js';
import { installBinaries, locateBinaries } from '../../src/database/embedded/binaries.js';
import { prepareHome } from '../../src/database/embedded/home.js';
import { addressOf, ensureServer, findServer, initializeData, stopServer } from '../../src/database/embedded/server.js';

/** A folder that any user can reach, so that the database stays in it also when the tests run as root. */
async function reachableFolder(): Promise<string> {
  const folder = await newDataFolder();
  await chmod(folder, 0o755);
  return folder;
}

const isRoot = process.getuid?.() === 0;

const serverIn = (dataDir: string) => findServer({ folder: join(dataDir, 'postgresql') });

async function logsIn(service: ServiceProcess, user: { email: string; password: string }): Promise<boolean> {
  const { email, password } = user;
  return (await call(service, 'POST', '/api/v1/auth/login', { body: { email, password } })).status === 200;
}

describe('on a new data folder', () => {
  it('one of two services prepares everything, and the next ones use it alone and restart its database server', async () => {
    const dataDir = await reachableFolder();
    const service = await startTwo(dataDir);
    const { messages } = service.output();
    expect(messages).toContain('Preparing the database');
    expect(messages).toContain(`${service.url}/api/reference`);
    expect(messages).toContain(`Data folder    ${dataDir} (database, published files, chain, keys)`);
    expect(messages).not.toContain('Database ');
    expect(messages).toMatch(/Chain +http:\/\/127\.0\.0\.1:\d+\n/);
    // Secrets are readable by their owner only, and the server listens on no port.
    expect((await stat(join(dataDir, 'jwt-secret'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(dataDir, 'postgresql'))).mode & 0o777).toBe(0o700);
    const pidFile = await readFile(join(dataDir, 'postgresql/data/postmaster.pid'), 'utf8');
    expect(pidFile.split('\n')[5]).toBe('');
    // One request to the chain times out after a second, which a busy machine may exceed.
    await expect
      .poll(async () => (await call(service, 'GET', '/readyz')).body)
      .toMatchObject({ status: 'ready', checks: { database: 'ok', files: 'ok', signer: 'ok', chain: 'ok' } });

    expect(await service.end('SIGTERM')).toBe(0);
    expect(await serverIn(dataDir)).toBeUndefined();

    const killed = await startEmbeddedService(dataDir);
    expect(killed.output().messages).not.toContain('Preparing');
    await expectSecondRefused(dataDir, killed);
    const user = await signUp(killed);
    killed.process.kill('SIGKILL');
    await once(killed.process, 'close');
    expect(user.response.status).toBe(201);
    const server = await serverIn(dataDir);

    const again = await startEmbeddedService(dataDir);
    expect(server).toBeDefined();
    expect(await serverIn(dataDir)).toEqual(server);
    await expectServerRestarted(dataDir, again);
    expect(await logsIn(again, user)).toBe(true);
    expect(await again.end()).toBe(0);
    expect(await serverIn(dataDir)).toBeUndefined();
  });

  it('a path that is too long for a socket works as well, also after a start that was interrupted', async () => {
    const dataDir = join(await reachableFolder(), 'a'.repeat(120));
    // Before the server's folder was complete.
    await mkdir(dataDir);
    await mkdir(join(dataDir, 'postgresql'), { mode: 0o700 });
    const service = await startEmbeddedService(dataDir);
    expect((await signUp(service)).response.status).toBe(201);
  });

  it('a folder that other users cannot enter works as well, as root and as any other user', async () => {
    const locked = await temporaryFolder();
    await chmod(locked, 0o700);
    const dataDir = await temporaryFolder(locked);
    await chmod(dataDir, 0o755);
    const service = await startTwo(dataDir);
    const user = await signUp(service);
    await service.end('SIGKILL');
    expect(await logsIn(await startEmbeddedService(dataDir), user)).toBe(true);
    expect((await lstat(join(dataDir, 'postgresql'))).isSymbolicLink()).toBe(isRoot);
    // What the service prints about its data is true for both.
    const contents = isRoot ? 'published files, chain, keys' : 'database, published files, chain, keys';
    expect(service.output().messages).toContain(`Data folder    ${dataDir} (${contents})`);
    if (isRoot) {
      const place = await readlink(join(dataDir, 'postgresql'));
      expect(service.output().messages).toContain(`Database       ${place}`);
    }
  });

  it('a database that was moved to a folder its user cannot access is refused with the reason', async () => {
    const locked = await temporaryFolder();
    await chmod(locked, 0o700);
    const dataDir = join(locked, 'data');
    const folder = join(dataDir, 'postgresql');
    await mkdir(folder, { recursive: true });
    if (isRoot) await chown(folder, 65_534, 65_534);
    const home = prepareHome(dataDir, () => {});
    if (isRoot) await expect(home).rejects.toThrow(`${folder} belongs to user 65534, who has no access to it there`);
    else expect(await home).toEqual({ folder, user: undefined, usesTcp: false });
  });
});

/** Two services that start concurrently on one new folder: one of them gets it, and is ready. */
async function startTwo(dataDir: string): Promise<ServiceProcess> {
  const services = await Promise.all([launchService({ DATA_DIR: dataDir }), launchService({ DATA_DIR: dataDir })]);
  const loser = await Promise.race(
    services.map(async (service) => {
      await once(service.process, 'close');
      return service;
    }),
  );
  expect(loser.output().messages).toContain('is in use by another service');
  const winner = services.find((service) => service !== loser);
  if (!winner) throw new Error('no winner');
  return waitUntilReady(winner);
}

/** A second service on the data folder exits with a message that names the first one's process; that one continues. */
async function expectSecondRefused(dataDir: string, service: ServiceProcess): Promise<void> {
  const second = await launchService({ DATA_DIR: dataDir });
  const [code] = await once(second.process, 'close');
  expect(code).toBe(1);
  const lastLine = second.output().messages.trim().split('\n').at(-1);
  expect(lastLine).toContain(`${dataDir} is in use by another service`);
  expect(lastLine).toContain(`process ${service.process.pid}`);
  expect((await signUp(service)).response.status).toBe(201);
}

/** The database server is restarted when it is killed, and no confirmed write is lost. */
async function expectServerRestarted(dataDir: string, service: ServiceProcess): Promise<void> {
  const user = await signUp(service);
  for (let round = 0; round < 2; round += 1) {
    const server = await serverIn(dataDir);
    if (!server) throw new Error('no server');
    process.kill(server.pid, 'SIGKILL');
    await untilServed(service, async () => {
      const current = await serverIn(dataDir);
      return current !== undefined && current.pid !== server.pid;
    });
  }
  expect(await logsIn(service, user)).toBe(true);
}

/** Polls until the service is ready with the new server; every other response must be 503 UNAVAILABLE. */
async function untilServed(service: ServiceProcess, isServerNew: () => Promise<boolean>): Promise<void> {
  for (;;) {
    const isNew = await isServerNew();
    const { status, body } = await call(service, 'GET', '/readyz');
    if (status === 200 && isNew) return;
    if (status !== 200) expect([status, body.code]).toEqual([503, 'UNAVAILABLE']);
  }
}

it('where Node has no Unix sockets, the server listens on the loopback interface and asks for a password', async () => {
  const home = { ...(await prepareHome(await reachableFolder(), () => {})), usesTcp: true };
  const binaries = await installBinaries(home, locateBinaries());
  await initializeData(home, binaries);
  const listener = { host: '127.0.0.1', port: await freePort() };
  expect(await ensureServer(home, binaries, listener, () => {})).toEqual(listener);
  const address = await addressOf(home, listener);
  const connect = async (password: string) => {
    const client = new pg.Client({ ...address, password });
    await client.connect().finally(() => client.end());
  };
  await connect(address.password ?? '');
  await expect(connect(`${address.password}0`)).rejects.toThrow('password authentication failed');
  const server = (await findServer(home)) ?? expect.fail('no server');
  await stopServer(home, server);
  expect(await findServer(home)).toBeUndefined();
});

describe('a data folder that cannot be used', () => {
  it('created by another PostgreSQL version is reported and not changed', async () => {
    const dataDir = await reachableFolder();
    const folder = join(dataDir, 'postgresql', 'data');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'PG_VERSION'), '9\n');
    const service = await launchService({ DATA_DIR: dataDir });
    const [code] = await once(service.process, 'close');
    expect(code).toBe(1);
    expect(service.output().messages).toContain('was created by PostgreSQL 9');
    expect(await readFile(join(folder, 'PG_VERSION'), 'utf8')).toBe('9\n');
  });
});
