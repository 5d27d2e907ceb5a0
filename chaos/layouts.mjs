// The two ways in which the service is run here, each with what can go wrong with it.

import { mkdir, mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectToNode } from '@provenance-registry/chain-client';
import { createClient } from '@provenance-registry/client';
import { access, findServer } from '../packages/server/dist/database/embedded/server.js';
import { CONFIRMATIONS, registeredIn, startChain } from './chain.mjs';
import { nextMoment } from './moments.mjs';
import { ask, startPostgres, untilAnswering } from './postgres.mjs';
import { freePort, OTHER_PORTS, supervise, superviseService } from './processes.mjs';
import { startProxy } from './proxy.mjs';

/** @typedef {import('./random.mjs').Random} Random */
/** @typedef {import('./processes.mjs').Supervised} Supervised */

/**
 * @typedef {object} Fault
 * @property {string} name
 * @property {boolean} [isKill] of a kind of process
 * @property {(random: Random) => Promise<unknown>} strike does it, and answers when it is over
 */

/**
 * @typedef {object} Layout
 * @property {string} url what people use
 * @property {readonly Fault[]} faults
 * @property {(sql: string) => Promise<Record<string, unknown>[]>} query
 * @property {() => Promise<{ fingerprint: string, id: string }[]>} registered what the chain's log says
 * @property {() => Promise<string[]>} files the names of everything that is published
 * @property {Record<string, string>} settings of a process that can see everything
 * @property {() => Promise<void>} calm everything works, or tries to
 * @property {() => string[]} endings how processes ended that nobody had killed
 * @property {() => Promise<void>} close
 */

/**
 * @typedef {object} Surroundings
 * @property {import('./disk.mjs').Disk} disk
 * @property {import('./ledger.mjs').Ledger} ledger
 * @property {(line: string) => void} onLine told of each line of the service's log
 */

const JWT_SECRET = 'a secret that all processes of one run share';
const s3Program = fileURLToPath(new URL('../test/support/s3Server.mjs', import.meta.url));
const BUCKET = 'published';

/**
 * One process, with its own database, folder and chain.
 * @param {Surroundings} surroundings
 * @returns {Promise<Layout>}
 */
export async function oneProcess({ disk, ledger, onLine }) {
  const dataDir = join(disk.folder, 'data');
  await mkdir(dataDir);
  const port = await freePort(OTHER_PORTS);
  const chainPort = await freePort(OTHER_PORTS);
  const front = await startProxy([port]);
  const settings = { DATA_DIR: dataDir, PORT: String(port), CHAIN_PORT: String(chainPort), BASE_URL: front.url };
  const service = await superviseService('service', settings, onLine);
  const { address } = await createClient({ baseUrl: front.url }).getContract();
  const node = connectToNode({ url: `http://127.0.0.1:${chainPort}` });
  const folders = [join(dataDir, 'public'), join(dataDir, 'chain')];

  async function findDatabase() {
    const link = join(dataDir, 'postgresql');
    return findServer({ folder: await readlink(link).catch(() => link), user: undefined });
  }
  async function databaseAddress() {
    const server = await findDatabase();
    // While it starts it has not said yet where it is.
    if (!server?.socketFolder) throw new Error('the database is not there');
    return { host: server.socketFolder, port: server.port, ...access };
  }

  return {
    url: front.url,
    settings,
    faults: [
      killsOf('service', [service], (random) => nextMoment(random, ledger, folders)),
      {
        name: 'kill database',
        isKill: true,
        async strike(random) {
          const server = await findDatabase();
          if (server) process.kill(server.pid, random.pick(['SIGKILL', 'SIGQUIT', 'SIGINT']));
          await untilAnswering(databaseAddress);
        },
      },
      stopsOf('service', [service], 2_000),
      cutsOfAnswers(front),
      fullDisk(disk, () => [service.pid()]),
    ],
    query: async (sql) => ask(await databaseAddress(), sql),
    registered: () => registeredIn(node, `0x${address.slice(2)}`),
    files: async () => (await readdir(join(dataDir, 'public'))).filter((name) => !name.endsWith('.draft')),
    async calm() {
      front.open();
      await disk.empty([service.pid()]);
      service.signal('SIGCONT');
      await service.untilReady();
    },
    endings: () => service.endings,
    async close() {
      await service.stop();
      await front.close();
    },
  };
}

/**
 * Two processes that answer and two that work, on one PostgreSQL server, one bucket and one node.
 * @param {Surroundings} surroundings
 * @returns {Promise<Layout>}
 */
export async function twoProcesses({ disk, ledger, onLine }) {
  const at = (/** @type {string} */ name) => join(disk.folder, name);
  for (const name of ['data', 'chain']) await mkdir(at(name));
  // Not on the small disk: this store leaves half a file there, and then breaks over it. One that is away is tried by its line.
  const bucket = await mkdtemp(join(tmpdir(), 'torture-bucket-'));
  const [database, chain] = await Promise.all([startPostgres(at('database')), startChain(at('chain'))]);
  const s3Port = await freePort();
  const s3 = await supervise({
    name: 's3',
    command: process.execPath,
    args: [s3Program, String(s3Port), bucket, BUCKET],
    saysReady: 'listening',
  });
  const apiPorts = [await freePort(), await freePort()];
  const [front, rpcLine, s3Line] = await Promise.all([
    startProxy(apiPorts),
    startProxy([chain.port]),
    startProxy([s3Port]),
  ]);
  const settings = {
    DATA_DIR: at('data'),
    DATABASE_URL: database.url,
    JWT_SECRET,
    BASE_URL: front.url,
    STORAGE_URL: `s3://${BUCKET}`,
    CDN_URL: `http://127.0.0.1:${s3Port}/${BUCKET}`,
    AWS_ENDPOINT_URL: s3Line.url,
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
    RPC_URL: rpcLine.url,
    REGISTRY_ADDRESS: chain.registry,
    CHAIN_PRIVATE_KEY: chain.writingKey,
    CHAIN_CONFIRMATIONS: String(CONFIRMATIONS),
  };
  /** @param {'api' | 'worker'} ROLE @param {number} port */
  const start = (ROLE, port) => superviseService(ROLE, { ...settings, ROLE, PORT: String(port) }, onLine);
  const apis = await Promise.all(apiPorts.map((port) => start('api', port)));
  const workers = await Promise.all([start('worker', await freePort()), start('worker', await freePort())]);
  const everybody = [...apis, ...workers, s3, chain.node];
  const writers = () => [chain.node.pid()];
  let isReorganising = Promise.resolve();

  return {
    url: front.url,
    settings: {
      ...settings,
      AWS_ENDPOINT_URL: `http://127.0.0.1:${s3Port}`,
      RPC_URL: `http://127.0.0.1:${chain.port}`,
    },
    faults: [
      killsOf('api', apis, (random) => nextMoment(random, ledger, [join(bucket, BUCKET)])),
      killsOf('worker', workers, (random) => nextMoment(random, ledger, [at('chain')])),
      {
        name: 'kill database',
        isKill: true,
        strike: (random) => database.kill(random.pick(['SIGKILL', 'SIGQUIT', 'SIGINT'])),
      },
      {
        name: 'kill chain node',
        isKill: true,
        async strike(random) {
          await nextMoment(random, ledger, [at('chain')]);
          await isReorganising;
          await chain.node.kill();
          await chain.node.untilReady();
        },
      },
      {
        name: 'reorganise the chain',
        async strike(random) {
          const done = chain.reorganise(random);
          isReorganising = done.then(
            () => {},
            () => {},
          );
          await done;
        },
      },
      stopsOf('api', apis, 4_000),
      // Longer than the lease of the writing key: another worker has it when this one goes on.
      stopsOf('worker', workers, 20_000),
      badLine('RPC', rpcLine),
      badLine('S3', s3Line),
      cutsOfAnswers(front),
      fullDisk(disk, writers),
    ],
    query: (sql) => ask({ connectionString: database.url }, sql),
    registered: chain.registered,
    files: async () => namesIn(await readdir(join(bucket, BUCKET))),
    async calm() {
      for (const line of [front, rpcLine, s3Line]) line.open();
      await disk.empty(writers());
      for (const one of everybody) one.signal('SIGCONT');
      await untilAnswering(async () => ({ connectionString: database.url }));
      for (const one of everybody) await one.untilReady();
    },
    endings: () => [...everybody, database.server].flatMap(({ endings }) => endings),
    async close() {
      await Promise.all([...apis, ...workers].map((one) => one.stop()));
      await Promise.all([s3.stop('SIGKILL'), chain.stop(), database.stop()]);
      for (const line of [front, rpcLine, s3Line]) await line.close();
      await rm(bucket, { recursive: true });
    },
  };
}

/**
 * Every fifth time it is killed again before it has started.
 * @param {string} kind
 * @param {readonly Supervised[]} processes
 * @param {(random: Random) => Promise<void>} moment
 * @returns {Fault}
 */
function killsOf(kind, processes, moment) {
  return {
    name: `kill ${kind}`,
    isKill: true,
    async strike(random) {
      const victim = processes[random.below(processes.length)];
      if (!victim) return;
      await moment(random);
      await victim.kill();
      if (random.chance(0.2)) {
        await delay(random.below(1_500));
        await victim.kill();
      }
      await victim.untilReady();
    },
  };
}

/**
 * Stopped in the middle of whatever it does, and later told to go on.
 * @param {string} kind
 * @param {readonly Supervised[]} processes
 * @param {number} longestMs
 * @returns {Fault}
 */
function stopsOf(kind, processes, longestMs) {
  return {
    name: `stop and continue ${kind}`,
    async strike(random) {
      const victim = processes[random.below(processes.length)];
      victim?.signal('SIGSTOP');
      await delay(longestMs / 10 + random.below(longestMs));
      victim?.signal('SIGCONT');
    },
  };
}

/**
 * @param {import('./proxy.mjs').Proxy} front
 * @returns {Fault}
 */
function cutsOfAnswers(front) {
  return {
    name: 'cut people off',
    async strike() {
      front.reset();
    },
  };
}

/**
 * @param {string} name
 * @param {import('./proxy.mjs').Proxy} line
 * @returns {Fault}
 */
function badLine(name, line) {
  return {
    name: `bad line to ${name}`,
    async strike(random) {
      random.pick([() => line.cut(), () => line.silence(), () => line.slow(random.below(1_500))])();
      await delay(random.below(6_000));
      // What was on its way is lost, or arrives late.
      if (random.chance(0.5)) line.reset();
      line.open();
    },
  };
}

/**
 * @param {import('./disk.mjs').Disk} disk
 * @param {() => (number | undefined)[]} writers
 * @returns {Fault}
 */
function fullDisk(disk, writers) {
  return {
    name: 'fill the disk',
    async strike(random) {
      await disk.fill(writers());
      await delay(500 + random.below(4_000));
      await disk.empty(writers());
    },
  };
}

/** The store keeps a file for the content and one for what is said about it. @param {readonly string[]} entries */
function namesIn(entries) {
  return entries.filter((name) => name.endsWith('._S3rver_object')).map((name) => name.replace('._S3rver_object', ''));
}
