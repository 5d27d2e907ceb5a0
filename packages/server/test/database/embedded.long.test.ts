// The embedded database: first start, kills and restarts, and unusable data folders.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, lstat, mkdir, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
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
import { startEmbeddedDatabase } from '../../src/database/embedded/index.js';
import { protectData } from '../../src/database/embedded/protection.js';
import {
  addressOf,
  ensureServer,
  findServer,
  initializeData,
  type Listener,
  type ServerHome,
  stopServer,
} from '../../src/database/embedded/server.js';

/** A folder that any user can reach, so that the database stays in it also when the tests run as root. */
async function reachableFolder(): Promise<string> {
  const folder = await newDataFolder();
  await chmod(folder, 0o755);
  return folder;
}

const isRoot = process.getuid?.() === 0;
const run = promisify(execFile);
/** `nobody`, whom other programs run as, and the server when root starts it. */
const SHARED_UID = 65_534;

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
    const { uid } = await stat(dataDir);
    for (const name of ['jwt-secret', 'database-password']) {
      const file = await stat(join(dataDir, name));
      expect([name, file.mode & 0o777, file.uid]).toEqual([name, 0o600, uid]);
    }
    await expectPasswordHidden(dataDir, service);
    const folder = await stat(join(dataDir, 'postgresql'));
    expect(folder.mode & 0o007).toBe(0);
    expect(folder.uid).toBe(uid);
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
    const [dataDir, another] = [await temporaryFolder(locked), await temporaryFolder(locked)];
    await chmod(dataDir, 0o755);
    // All that start at once use the same one.
    const homes = await Promise.all(Array.from({ length: 50 }, () => prepareHome(another)));
    expect(new Set(homes.map(({ folder }) => folder)).size).toBe(1);
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
    if (isRoot) await chown(folder, SHARED_UID, SHARED_UID);
    const home = prepareHome(dataDir);
    if (isRoot) await expect(home).rejects.toThrow(`${folder} belongs to user 65534, who has no access to it there`);
    else expect(await home).toMatchObject({ folder, user: undefined, usesTcp: false });
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

/** Neither in the arguments and the environment of any process of the service, nor in what it and its database log. */
async function expectPasswordHidden(dataDir: string, service: ServiceProcess): Promise<void> {
  const password = await passwordIn(dataDir);
  const server = (await serverIn(dataDir)) ?? expect.fail('no server');
  const texts = [
    service.output().messages,
    await readFile(join(dataDir, 'postgresql/server.log'), 'utf8'),
    ...(await Promise.all(
      [service.process.pid, server.pid].flatMap((pid) =>
        ['cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8')),
      ),
    )),
  ];
  expect(texts.filter((text) => text.includes(password))).toEqual([]);
}

async function passwordIn(dataDir: string): Promise<string> {
  const entry = (await readFile(join(dataDir, 'database-password'), 'utf8')).trim();
  expect(entry).toMatch(/^\*:\*:\*:provenance:[0-9a-f]{64}$/);
  return entry.slice(-64);
}

interface Attempt {
  readonly host: string;
  readonly port: number;
  readonly password?: string | undefined;
  /** Another user of the machine; without one, the user of the tests. */
  readonly uid?: number;
}

/** What psql prints: the name of the role, or why it was refused. */
async function logIn({ host, port, password, uid }: Attempt): Promise<string> {
  const options = {
    ...(uid !== undefined && { uid, gid: uid }),
    cwd: '/',
    env: { PATH: process.env['PATH'], ...(password !== undefined && { PGPASSWORD: password }) },
  };
  const where = ['--no-psqlrc', '--no-password', `--host=${host}`, `--port=${port}`, '--username=provenance'];
  return run(
    'psql',
    [...where, '--tuples-only', '--no-align', '--command=select current_user', 'postgres'],
    options,
  ).then(
    ({ stdout }) => stdout.trim(),
    ({ stderr }) => String(stderr),
  );
}

const noPassword = /no password supplied/;
const wrongPassword = /password authentication failed/;

describe('another user of the machine gets nothing', () => {
  it('over TCP without the password, which is not one that differs in a character', async () => {
    const dataDir = await reachableFolder();
    const home = { ...(await prepareHome(dataDir)), usesTcp: true };
    const listener = { host: '127.0.0.1', port: await freePort() };
    const server = await startProtected(home, listener);
    const password = await passwordIn(dataDir);
    const other = isRoot ? { ...listener, uid: SHARED_UID } : listener;
    expect(await logIn({ ...listener, password })).toBe('provenance');
    expect(await logIn(other)).toMatch(noPassword);
    const changed = `${password.slice(0, -1)}${password.endsWith('0') ? '1' : '0'}`;
    for (const guess of [changed, password.slice(1), `${password}0`, password.toUpperCase(), 'provenance']) {
      expect(await logIn({ ...other, password: guess })).toMatch(wrongPassword);
    }
    await server.stop();
    expect(await findServer(home)).toBeUndefined();
  });

  it('over the socket, nor from the files: also not as the user that the server runs as', async () => {
    const dataDir = await reachableFolder();
    const home = await prepareHome(dataDir);
    const listener = { host: home.folder, port: 5432 };
    const server = await startProtected(home, listener);
    const password = await passwordIn(dataDir);
    expect(await logIn({ ...listener, password })).toBe('provenance');
    expect(await logIn(listener)).toMatch(noPassword);
    if (isRoot) {
      const { pid } = (await findServer(home)) ?? expect.fail('no server');
      const groups = /^Gid:\s+(.*)$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
      const { gid } = home.user ?? expect.fail('no user');
      expect(groups).toBe([gid, gid, gid, gid].join('\t'));
      for (const attempt of [{ password }, {}])
        expect(await logIn({ ...listener, ...attempt, uid: SHARED_UID })).toMatch(/Permission denied/);
      expect(await read(join(dataDir, 'database-password'))).toMatch(/Permission denied/);
      await expectClosed(home);
      // Nor what its processes share, which would otherwise be in /dev/shm.
      expect(await readdir(join(home.folder, 'data/pg_dynshmem'))).not.toEqual([]);
    }
    await server.stop();
  });
});

/** As another program of the server's user, which is in no group of the machine. */
const readAs = (gid: number, path: string) =>
  run('cat', [path], { uid: SHARED_UID, gid, cwd: '/' }).then(
    () => 'read',
    ({ stderr }) => String(stderr),
  );
const read = (path: string) => readAs(SHARED_UID, path);

/** Only the server's own group can enter the folder: no group of the machine, nor of another data folder. */
async function expectClosed({ folder, user }: ServerHome): Promise<void> {
  const { gid, uid, mode } = await stat(folder);
  expect([uid, gid, mode & 0o777]).toEqual([0, user?.gid, 0o770]);
  const known = await Promise.all(['/etc/group', '/etc/passwd'].map((path) => readFile(path, 'utf8')));
  expect(known.join('\n').split(/[:\n]/)).not.toContain(String(gid));
  for (const name of ['server.log', 'data/PG_VERSION', 'data/global/pg_control']) {
    const path = join(folder, name);
    expect([await read(path), await readAs(gid, path)]).toEqual([expect.stringMatching(/Permission denied/), 'read']);
    expect(await readAs(gid + 1, path)).toMatch(/Permission denied/);
  }
}

/** As the service starts it, at a listener of the test's choice. */
async function startProtected(home: ServerHome, listener: Listener) {
  const binaries = await installBinaries(home, locateBinaries());
  await initializeData(home, binaries);
  await protectData(home, binaries, { stopUnused: () => expect.fail('no server runs yet') });
  expect(await ensureServer(home, binaries, listener, () => {})).toEqual(listener);
  const server = (await findServer(home)) ?? expect.fail('no server');
  return { stop: () => stopServer(home, server) };
}

describe('a data folder of an earlier release, whose server let everyone in,', () => {
  /** Leaves the server of the earlier release running, as a service does that is killed. */
  async function createEarlierData() {
    const dataDir = await reachableFolder();
    const home = await prepareHome(dataDir);
    const binaries = await installBinaries(home, locateBinaries());
    await initializeData(home, binaries);
    await writeTrustingRules(home);
    const listener = { host: home.folder, port: 5432 };
    await ensureServer(home, binaries, listener, () => {});
    const client = await connectTo(home, listener);
    await client.query('create table kept as select 1 as value');
    return { dataDir, home, listener, client };
  }
  const writeTrustingRules = (home: ServerHome) =>
    writeFile(join(home.folder, 'data/pg_hba.conf'), 'local all all trust\nhost all all 127.0.0.1/32 trust\n');
  async function connectTo(home: ServerHome, listener: Listener) {
    const client = new pg.Client(await addressOf(home, listener));
    client.on('error', () => {});
    await client.connect();
    return client;
  }
  const findBinaries = async ({ folder }: ServerHome) =>
    (await readdir(folder)).find((name) => name.startsWith('binaries-')) ?? expect.fail('no binaries');
  const start = (dataDir: string) => startEmbeddedDatabase({ dataDir, notify: () => {}, onLost: () => {} });
  async function expectProtected(home: ServerHome, dataDir: string) {
    const database = await start(dataDir);
    const { host, port, password } = database.address;
    expect(password).toBe(await passwordIn(dataDir));
    expect(await logIn({ host, port })).toMatch(noPassword);
    const client = await connectTo(home, { host, port });
    expect((await client.query('select value from kept')).rows).toEqual([{ value: 1 }]);
    await client.end();
    await database.stop();
    return password;
  }

  it('keeps its data and asks for the password from the first start on, also after a kill at any step', async () => {
    const { dataDir, home, client } = await createEarlierData();
    // The service that uses it is not disturbed.
    await client.query('select pg_advisory_lock(20260529)');
    await expect(start(dataDir)).rejects.toThrow('is in use by another service');
    expect((await client.query('select value from kept')).rows).toEqual([{ value: 1 }]);
    await client.end();

    const password = await expectProtected(home, dataDir);
    // Killed after the role's password was set, then before that.
    await writeTrustingRules(home);
    expect(await expectProtected(home, dataDir)).toBe(password);
    await writeTrustingRules(home);
    await rm(join(dataDir, 'database-password'));
    const other = await expectProtected(home, dataDir);
    expect(other).not.toBe(password);
    // Killed while the rules were replaced: the draft is a leftover, the rules are the earlier ones.
    await mkdir(join(home.folder, 'draft-killed'));
    await writeFile(join(home.folder, 'draft-killed/pg_hba.conf'), 'local');
    await writeTrustingRules(home);
    expect(await expectProtected(home, dataDir)).toBe(other);
    // The file was lost, or restored from a backup without it.
    await rm(join(dataDir, 'database-password'));
    expect(await expectProtected(home, dataDir)).not.toBe(other);
  });

  it.runIf(isRoot)(
    'is closed to other programs of `nobody` from the first start on, which waits for no service',
    async () => {
      const { dataDir, home: closed, client } = await createEarlierData();
      await client.end();
      const server = (await findServer(closed)) ?? expect.fail('no server');
      await stopServer(closed, server);
      // As those releases left it, with the server of a service that is still there at first.
      await run('chown', ['-R', `${SHARED_UID}:${SHARED_UID}`, closed.folder]);
      await chmod(closed.folder, 0o700);
      const home = await prepareHome(dataDir);
      expect(home.user).toEqual({ uid: SHARED_UID, gid: SHARED_UID });
      expect(await read(join(home.folder, 'data/PG_VERSION'))).toBe('read');
      const listener = { host: home.folder, port: 5432 };
      await ensureServer(home, join(home.folder, await findBinaries(home)), listener, () => {});
      const service = await connectTo(home, listener);
      await service.query('select pg_advisory_lock(20260529)');
      await expect(start(dataDir)).rejects.toThrow('is in use by another service');
      expect((await stat(home.folder)).uid).toBe(SHARED_UID);
      await service.end();

      await expectProtected(closed, dataDir);
      await expectClosed(closed);
      // Killed between the two changes of the folder.
      await chmod(closed.folder, 0o700);
      await expectProtected(closed, dataDir);
      await expectClosed(closed);
    },
  );

  it('is refused with the reason when the password is another one, which deleting its file repairs', async () => {
    const { dataDir, home, client } = await createEarlierData();
    await client.end();
    await expectProtected(home, dataDir);
    await writeFile(join(dataDir, 'database-password'), `*:*:*:provenance:${'0'.repeat(64)}\n`);
    await expect(start(dataDir)).rejects.toThrow('refuses the password');
    expect(await findServer(home)).toBeUndefined();
    await rm(join(dataDir, 'database-password'));
    await expectProtected(home, dataDir);

    const database = await start(dataDir);
    await rm(join(dataDir, 'database-password'));
    await expect(start(dataDir)).rejects.toThrow('is missing while the database server is running');
    await database.stop();
  });
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
