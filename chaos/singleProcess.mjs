// Layout `one`: one process with the embedded database, folder and chain.

import { mkdir, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createJsonRpcClient } from '@provenance-registry/chain-client';
import { createClient } from '@provenance-registry/client';
import { passwordFileOf } from '../packages/server/dist/database/embedded/password.js';
import { addressOf, findServer } from '../packages/server/dist/database/embedded/server.js';
import { readRegistrations } from './chain.mjs';
import { createFullDiskFault, createKillFault, createPauseFault } from './faults.mjs';
import { waitForKillMoment } from './killTiming.mjs';
import { queryDatabase, retryUntil } from './postgres.mjs';
import { startProxy } from './proxy.mjs';
import { findFreePort, SINGLE_PROCESS_FIRST_PORT, superviseService } from './supervisor.mjs';

/**
 * @param {import('./run.mjs').Environment} environment
 * @returns {Promise<import('./run.mjs').Layout>}
 */
export async function startSingleProcess({ disk, ledger, onLine, onClose }) {
  const dataDir = join(disk.folder, 'data');
  await mkdir(dataDir);
  const port = await findFreePort(SINGLE_PROCESS_FIRST_PORT);
  const chainPort = await findFreePort(SINGLE_PROCESS_FIRST_PORT);
  const front = await startProxy([port]);
  onClose(front.close);
  // When the service was killed last, its database is still running.
  onClose(async () => signalDatabase('SIGQUIT'));
  const settings = {
    DATA_DIR: dataDir,
    PORT: String(port),
    CHAIN_PORT: String(chainPort),
    BASE_URL: front.url,
    WEBHOOK_LOOPBACK: 'true',
  };
  const service = await superviseService('service', settings, onLine);
  const { address } = await createClient({ baseUrl: front.url }).getContract();
  const node = createJsonRpcClient({ url: `http://127.0.0.1:${chainPort}` });
  const folders = [join(dataDir, 'public'), join(dataDir, 'chain')];

  async function databaseHome() {
    const link = join(dataDir, 'postgresql');
    return { folder: await readlink(link).catch(() => link), passwordFile: passwordFileOf(dataDir) };
  }
  async function databaseAddress() {
    const home = await databaseHome();
    const server = await findServer(home);
    // The address is unknown while it starts.
    if (!server?.listener) throw new Error('the database is not running');
    return addressOf(home, server.listener);
  }
  /** @param {NodeJS.Signals} signal */
  async function signalDatabase(signal) {
    const server = await findServer(await databaseHome());
    if (server) process.kill(server.pid, signal);
  }
  /** @param {string} sql */
  const query = async (sql) => queryDatabase(await databaseAddress(), sql);

  return {
    url: front.url,
    settings,
    faults: [
      createKillFault('service', [service], (random) => waitForKillMoment(random, ledger, folders)),
      {
        name: 'kill database',
        isKill: true,
        async inject(random) {
          await signalDatabase(random.pick(['SIGKILL', 'SIGQUIT', 'SIGINT']));
          await retryUntil(async () => (await query('select 1')).length === 1);
        },
      },
      createPauseFault('service', [service], 2_000),
      { name: 'drop client connections', inject: async () => front.reset() },
      createFullDiskFault(disk, () => [service.pid()]),
    ],
    query,
    registrations: () => readRegistrations(node, `0x${address.slice(2)}`),
    files: async () => (await readdir(join(dataDir, 'public'))).filter((name) => !name.endsWith('.draft')),
    async recover() {
      front.open();
      await disk.empty([service.pid()]);
      service.signal('SIGCONT');
      await service.waitUntilReady();
    },
    unexpectedExits: () => service.unexpectedExits,
  };
}
