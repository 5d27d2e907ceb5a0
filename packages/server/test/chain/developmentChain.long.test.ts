// The development chain of a running service: what strangers send to it costs only strangers, and what they were told
// survives the end of its process.

import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { newFile } from '../../../../test/support/files.js';
import { freePort } from '../../../../test/support/ports.js';
import { findDescendants, findProcesses } from '../../../../test/support/processes.js';
import { writePublicEntry } from '../../../../test/support/publicRegistry.js';
import {
  call,
  newDataFolder,
  type ServiceProcess,
  startServiceProcess,
  temporaryFolder,
  waitForLog,
} from '../../../../test/support/service.js';
import { lookUp } from '../support/resolution.js';

const shop = { endpoints: ['https://one.example/api'], manifestId: 'urn:c2pa:shop' };
/** JUMPDEST, PUSH0, JUMP: until the gas is used up. */
const endlessLoop = { data: '0x5b5f56', gas: '0xffffffffffff' };

let dataDir: string;
let service: ServiceProcess;
let rpcUrl: string;
beforeAll(async () => {
  dataDir = await newDataFolder();
  const chainPort = String(await freePort());
  service = await startServiceProcess({ DATA_DIR: dataDir, CHAIN_PORT: chainPort });
  rpcUrl = `http://127.0.0.1:${chainPort}`;
});

async function ask(method: string, params: unknown[], signal?: AbortSignal) {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    ...(signal && { signal }),
  });
  return response.json();
}

const executeLoop = (signal?: AbortSignal) => ask('eth_call', [endlessLoop, 'latest'], signal);
const chainProcesses = () => findDescendants(service.process.pid ?? 0, 'developmentChainWorker.js');
/** One read of the chain times out after a second, which a busy machine may exceed. */
const shownOwner = (value: string) =>
  expect.poll(async () => (await lookUp(service, value)).body.matches[0]?.manifestId, { interval: 10 });

describe("strangers' calls", () => {
  it('end when they take too much, while lookups read the chain', async () => {
    const file = newFile();
    await writePublicEntry(service, rpcUrl, file, shop);
    const clients = new AbortController();
    let ended = 0;
    const loops = Array.from({ length: 20 }, () =>
      executeLoop(clients.signal).finally(() => {
        ended += 1;
      }),
    );
    const settled = Promise.allSettled(loops);
    await shownOwner(file.value).toBe(shop.manifestId);
    expect(ended).toBeLessThan(20);
    expect(await Promise.race(loops)).toMatchObject({
      error: { code: -32_000, message: expect.stringContaining('execution aborted') },
    });
    clients.abort();
    await settled;
    // Returns 1.
    expect(await ask('eth_call', [{ data: '0x60015f5260205ff3' }, 'latest'])).toMatchObject({
      result: expect.stringMatching(/^0x0*1$/),
    });
  });

  it('see every transaction that was confirmed before', async () => {
    for (let round = 0; round < 3; round += 1) {
      const file = newFile();
      await writePublicEntry(service, rpcUrl, file, { ...shop, manifestId: `urn:c2pa:round-${round}` });
      const { body } = await call(service, 'GET', '/c2pa/contract');
      const logs = await ask('eth_getLogs', [
        { address: body.address, topics: [null, file.fingerprint], fromBlock: '0x0' },
      ]);
      expect(logs).toMatchObject({ result: [{ topics: expect.arrayContaining([file.fingerprint]) }] });
    }
  });
});

it("the password of the service's own calls is readable by its owner only, and given to no client", async () => {
  const file = join(dataDir, 'chain', 'address');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const password = /:(\w+)@/.exec(await readFile(file, 'utf8'))?.[1] ?? '';
  expect(password).toHaveLength(64);
  const { body } = await call(service, 'GET', '/c2pa/contract');
  expect(body.rpcUrl).toBe(rpcUrl);
  expect(JSON.stringify(service.output())).not.toContain(password);
});

describe('the process of the chain', () => {
  it('is replaced when it ends, with everything that was confirmed', async () => {
    const file = newFile();
    await writePublicEntry(service, rpcUrl, file, { ...shop, manifestId: 'urn:c2pa:kept' });
    const tip = await ask('eth_getBlockByNumber', ['latest', false]);
    const [pid = 0] = await chainProcesses();
    process.kill(pid, 'SIGKILL');
    await waitForLog(service, 'The process of the development chain ended (SIGKILL)');
    await expect.poll(() => ask('eth_getBlockByNumber', ['latest', false]).catch(() => undefined)).toEqual(tip);
    await shownOwner(file.value).toBe('urn:c2pa:kept');
    expect(await chainProcesses()).not.toContain(pid);
  });

  it('ends with a service that is killed, and its replica too', async () => {
    const folder = await temporaryFolder();
    const chainPort = String(await freePort());
    const killed = await startServiceProcess({ DATA_DIR: folder, CHAIN_PORT: chainPort });
    const own = () => findDescendants(killed.process.pid ?? 0, 'Worker.js');
    rpcUrl = `http://127.0.0.1:${chainPort}`;
    await ask('eth_call', [{}, 'latest']);
    const pids = await own();
    expect(pids.length).toBeGreaterThanOrEqual(2);
    killed.process.kill('SIGKILL');
    await once(killed.process, 'close');
    await expect.poll(async () => (await findProcesses('Worker.js')).filter((pid) => pids.includes(pid))).toEqual([]);
  });
});
