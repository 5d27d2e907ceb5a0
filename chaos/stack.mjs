// Layout `stack`: two `api` and two `worker` processes, a PostgreSQL primary with a synchronous standby, a bucket that checks
// signatures and a chain node, as in production.

import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CONFIRMATIONS, startChain } from './chain.mjs';
import { createDegradedConnectionFault, createFullDiskFault, createKillFault, createPauseFault } from './faults.mjs';
import { waitForKillMoment } from './killTiming.mjs';
import { queryDatabase, startPostgres } from './postgres.mjs';
import { startProxy } from './proxy.mjs';
import { findFreePort, supervise, superviseService } from './supervisor.mjs';

const JWT_SECRET = 'a secret that all processes of one run share';
const s3Program = fileURLToPath(new URL('../test/support/s3Server.mjs', import.meta.url));
const BUCKET = 'published';

/**
 * @param {import('./run.mjs').Environment} environment
 * @returns {Promise<import('./run.mjs').Layout>}
 */
export async function startStack({ disk, ledger, onLine, onClose }) {
  const pathOf = (/** @type {string} */ name) => join(disk.folder, name);
  for (const name of ['data', 'chain']) await mkdir(pathOf(name));
  // Not on the small disk: this test store cannot recover from a partly written file. Its proxy makes it unavailable instead.
  const bucket = await mkdtemp(join(tmpdir(), 'chaos-bucket-'));
  onClose(() => rm(bucket, { recursive: true }));
  const [database, chain] = await Promise.all([startPostgres(pathOf('database')), startChain(pathOf('chain'))]);
  const s3Port = await findFreePort();
  const s3 = await supervise({
    name: 's3',
    command: process.execPath,
    args: [s3Program, String(s3Port), bucket, BUCKET],
    readyMessage: 'listening',
    stopSignal: 'SIGKILL',
  });
  const apiPorts = [await findFreePort(), await findFreePort()];
  const [front, rpcProxy, s3Proxy] = await Promise.all([
    startProxy(apiPorts),
    startProxy([chain.port]),
    startProxy([s3Port]),
  ]);
  for (const proxy of [front, rpcProxy, s3Proxy, database.front]) onClose(proxy.close);
  const settings = {
    DATA_DIR: pathOf('data'),
    DATABASE_URL: database.url,
    JWT_SECRET,
    BASE_URL: front.url,
    WEBHOOK_LOOPBACK: 'true',
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
  const fullDisk = createFullDiskFault(disk, writers);
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
      { name: 'kill database', isKill: true, inject: database.kill },
      { name: 'fail over to the standby', inject: database.failOver },
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
      { ...fullDisk, inject: (random) => database.queueFault(() => fullDisk.inject(random)) },
    ],
    query: (sql) => queryDatabase({ connectionString: database.url }, sql),
    registrations: chain.registrations,
    files: async () => objectNames(await readdir(join(bucket, BUCKET))),
    async recover() {
      for (const proxy of [front, rpcProxy, s3Proxy]) proxy.open();
      await disk.empty(writers());
      for (const one of processes) one.signal('SIGCONT');
      await database.waitUntilReady();
      for (const one of processes) await one.waitUntilReady();
    },
    unexpectedExits: () => [
      ...processes.flatMap(({ unexpectedExits }) => unexpectedExits),
      ...database.unexpectedExits(),
    ],
  };
}

/** The store keeps a content file and a metadata file for each object. @param {readonly string[]} entries */
function objectNames(entries) {
  return entries.filter((name) => name.endsWith('._S3rver_object')).map((name) => name.replace('._S3rver_object', ''));
}
