// The two deployments under test, each with its faults.

import { mkdir, mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createJsonRpcClient } from '@provenance-registry/chain-client';
import { createClient } from '@provenance-registry/client';
import { access, findServer } from '../packages/server/dist/database/embedded/server.js';
import { CONFIRMATIONS, readRegistrations, startChain } from './chain.mjs';
import { waitForKillMoment } from './killTiming.mjs';
import { queryDatabase, startPostgres, waitForDatabase } from './postgres.mjs';
import { startProxy } from './proxy.mjs';
import { findFreePort, SINGLE_PROCESS_FIRST_PORT, supervise, superviseService } from './supervisor.mjs';

/** @typedef {import('./random.mjs').Random} Random */
/** @typedef {import('./supervisor.mjs').Supervised} Supervised */

/**
 * @typedef {object} Fault
 * @property {string} name
 * @property {boolean} [isKill] counts toward `--kills`
 * @property {(random: Random) => Promise<unknown>} inject resolves when the fault is over
 */

/**
 * @typedef {object} Layout
 * @property {string} url that clients use
 * @property {readonly Fault[]} faults
 * @property {(sql: string) => Promise<Record<string, unknown>[]>} query
 * @property {() => Promise<{ fingerprint: string, id: string }[]>} registrations from the chain's log
 * @property {() => Promise<string[]>} files names of all published files
 * @property {Record<string, string>} settings for the audit, past the proxies
 * @property {() => Promise<void>} recover ends every fault and waits until everything is ready
 * @property {() => string[]} unexpectedExits of processes that no fault killed
 * @property {() => Promise<void>} close
 */

/**
 * @typedef {object} Environment
 * @property {import('./disk.mjs').Disk} disk
 * @property {import('./ledger.mjs').Ledger} ledger
 * @property {(line: string) => void} onLine called with each line of the service's log
 */

const JWT_SECRET = 'a secret that all processes of one run share';
const s3Program = fileURLToPath(new URL('../test/support/s3Server.mjs', import.meta.url));
const BUCKET = 'published';

/**
 * One process with the embedded database, folder and chain.
 * @param {Environment} environment
 * @returns {Promise<Layout>}
 */
export async function startSingleProcess({ disk, ledger, onLine }) {
  const dataDir = join(disk.folder, 'data');
  await mkdir(dataDir);
  const port = await findFreePort(SINGLE_PROCESS_FIRST_PORT);
  const chainPort = await findFreePort(SINGLE_PROCESS_FIRST_PORT);
  const front = await startProxy([port]);
  const settings = { DATA_DIR: dataDir, PORT: String(port), CHAIN_PORT: String(chainPort), BASE_URL: front.url };
  const service = await superviseService('service', settings, onLine);
  const { address } = await createClient({ baseUrl: front.url }).getContract();
  const node = createJsonRpcClient({ url: `http://127.0.0.1:${chainPort}` });
  const folders = [join(dataDir, 'public'), join(dataDir, 'chain')];

  async function findDatabase() {
    const link = join(dataDir, 'postgresql');
    return findServer({ folder: await readlink(link).catch(() => link), user: undefined });
  }
  async function databaseAddress() {
    const server = await findDatabase();
    // The address is unknown while it starts.
    if (!server?.socketFolder) throw new Error('the database is not running');
    return { host: server.socketFolder, port: server.port, ...access };
  }

  return {
    url: front.url,
    settings,
    faults: [
      createKillFault('service', [service], (random) => waitForKillMoment(random, ledger, folders)),
      {
        name: 'kill database',
        isKill: true,
        async inject(random) {
          const server = await findDatabase();
          if (server) process.kill(server.pid, random.pick(['SIGKILL', 'SIGQUIT', 'SIGINT']));
          await waitForDatabase(databaseAddress);
        },
      },
      createPauseFault('service', [service], 2_000),
      { name: 'drop client connections', inject: async () => front.reset() },
      createFullDiskFault(disk, () => [service.pid()]),
    ],
    query: async (sql) => queryDatabase(await databaseAddress(), sql),
    registrations: () => readRegistrations(node, `0x${address.slice(2)}`),
    files: async () => (await readdir(join(dataDir, 'public'))).filter((name) => !name.endsWith('.draft')),
    async recover() {
      front.open();
      await disk.empty([service.pid()]);
      service.signal('SIGCONT');
      await service.waitUntilReady();
    },
    unexpectedExits: () => service.unexpectedExits,
    async close() {
      await service.stop();
      await front.close();
    },
  };
}

/**
 * Two `api` and two `worker` processes on one PostgreSQL server, one bucket and one node.
 * @param {Environment} environment
 * @returns {Promise<Layout>}
 */
export async function startMultiProcess({ disk, ledger, onLine }) {
  const pathOf = (/** @type {string} */ name) => join(disk.folder, name);
  for (const name of ['data', 'chain']) await mkdir(pathOf(name));
  // Not on the small disk: this test store cannot recover from a partly written file. Its proxy makes it unavailable instead.
  const bucket = await mkdtemp(join(tmpdir(), 'chaos-bucket-'));
  const [database, chain] = await Promise.all([startPostgres(pathOf('database')), startChain(pathOf('chain'))]);
  const s3Port = await findFreePort();
  const s3 = await supervise({
    name: 's3',
    command: process.execPath,
    args: [s3Program, String(s3Port), bucket, BUCKET],
    readyMessage: 'listening',
  });
  const apiPorts = [await findFreePort(), await findFreePort()];
  const [front, rpcProxy, s3Proxy] = await Promise.all([
    startProxy(apiPorts),
    startProxy([chain.port]),
    startProxy([s3Port]),
  ]);
  const settings = {
    DATA_DIR: pathOf('data'),
    DATABASE_URL: database.url,
    JWT_SECRET,
    BASE_URL: front.url,
    STORAGE_URL: `s3://${BUCKET}`,
    CDN_URL: `http://127.0.0.1:${s3Port}/${BUCKET}`,
    AWS_ENDPOINT_URL: s3Proxy.url,
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
    RPC_URL: rpcProxy.url,
    REGISTRY_ADDRESS: chain.registry,
    CHAIN_PRIVATE_KEY: chain.writingKey,
    CHAIN_CONFIRMATIONS: String(CONFIRMATIONS),
  };
  /** @param {'api' | 'worker'} ROLE @param {number} port */
  const start = (ROLE, port) => superviseService(ROLE, { ...settings, ROLE, PORT: String(port) }, onLine);
  const apis = await Promise.all(apiPorts.map((port) => start('api', port)));
  const workers = await Promise.all([start('worker', await findFreePort()), start('worker', await findFreePort())]);
  const processes = [...apis, ...workers, s3, chain.node];
  const writers = () => [chain.node.pid()];
  let reorganization = Promise.resolve();

  return {
    url: front.url,
    settings: {
      ...settings,
      AWS_ENDPOINT_URL: `http://127.0.0.1:${s3Port}`,
      RPC_URL: `http://127.0.0.1:${chain.port}`,
    },
    faults: [
      createKillFault('api', apis, (random) => waitForKillMoment(random, ledger, [join(bucket, BUCKET)])),
      createKillFault('worker', workers, (random) => waitForKillMoment(random, ledger, [pathOf('chain')])),
      {
        name: 'kill database',
        isKill: true,
        inject: (random) => database.kill(random.pick(['SIGKILL', 'SIGQUIT', 'SIGINT'])),
      },
      {
        name: 'kill chain node',
        isKill: true,
        async inject(random) {
          await waitForKillMoment(random, ledger, [pathOf('chain')]);
          await reorganization;
          await chain.node.kill();
          await chain.node.waitUntilReady();
        },
      },
      {
        name: 'reorganize the chain',
        async inject(random) {
          const done = chain.reorganize(random);
          reorganization = done.then(
            () => {},
            () => {},
          );
          await done;
        },
      },
      createPauseFault('api', apis, 4_000),
      // Longer than the submitter's lease: another worker holds it when this one continues.
      createPauseFault('worker', workers, 20_000),
      createDegradedConnectionFault('RPC', rpcProxy),
      createDegradedConnectionFault('S3', s3Proxy),
      { name: 'drop client connections', inject: async () => front.reset() },
      createFullDiskFault(disk, writers),
    ],
    query: (sql) => queryDatabase({ connectionString: database.url }, sql),
    registrations: chain.registrations,
    files: async () => objectNames(await readdir(join(bucket, BUCKET))),
    async recover() {
      for (const proxy of [front, rpcProxy, s3Proxy]) proxy.open();
      await disk.empty(writers());
      for (const one of processes) one.signal('SIGCONT');
      await waitForDatabase(async () => ({ connectionString: database.url }));
      for (const one of processes) await one.waitUntilReady();
    },
    unexpectedExits: () => [...processes, database.server].flatMap(({ unexpectedExits }) => unexpectedExits),
    async close() {
      await Promise.all([...apis, ...workers].map((one) => one.stop()));
      await Promise.all([s3.stop('SIGKILL'), chain.stop(), database.stop()]);
      for (const proxy of [front, rpcProxy, s3Proxy]) await proxy.close();
      await rm(bucket, { recursive: true });
    },
  };
}

/**
 * Kills a process, and in one of five cases again during its start.
 * @param {string} kind
 * @param {readonly Supervised[]} processes
 * @param {(random: Random) => Promise<void>} moment
 * @returns {Fault}
 */
function createKillFault(kind, processes, moment) {
  return {
    name: `kill ${kind}`,
    isKill: true,
    async inject(random) {
      const victim = processes[random.below(processes.length)];
      if (!victim) return;
      await moment(random);
      await victim.kill();
      if (random.chance(0.2)) {
        await delay(random.below(1_500));
        await victim.kill();
      }
      await victim.waitUntilReady();
    },
  };
}

/**
 * Pauses a process at a random point and continues it later.
 * @param {string} kind
 * @param {readonly Supervised[]} processes
 * @param {number} maxPauseMs
 * @returns {Fault}
 */
function createPauseFault(kind, processes, maxPauseMs) {
  return {
    name: `stop and continue ${kind}`,
    async inject(random) {
      const victim = processes[random.below(processes.length)];
      victim?.signal('SIGSTOP');
      await delay(maxPauseMs / 10 + random.below(maxPauseMs));
      victim?.signal('SIGCONT');
    },
  };
}

/** @param {string} name @param {import('./proxy.mjs').Proxy} proxy @returns {Fault} */
function createDegradedConnectionFault(name, proxy) {
  return {
    name: `degrade connection to ${name}`,
    async inject(random) {
      random.pick([() => proxy.cut(), () => proxy.stall(), () => proxy.slowDown(random.below(1_500))])();
      await delay(random.below(6_000));
      // Data in transit is lost, or arrives late.
      if (random.chance(0.5)) proxy.reset();
      proxy.open();
    },
  };
}

/** @param {import('./disk.mjs').Disk} disk @param {() => (number | undefined)[]} writers @returns {Fault} */
function createFullDiskFault(disk, writers) {
  return {
    name: 'fill the disk',
    async inject(random) {
      await disk.fill(writers());
      await delay(500 + random.below(4_000));
      await disk.empty(writers());
    },
  };
}

/** The store keeps a content file and a metadata file for each object. @param {readonly string[]} entries */
function objectNames(entries) {
  return entries.filter((name) => name.endsWith('._S3rver_object')).map((name) => name.replace('._S3rver_object', ''));
}
