// Setting up and running the chain: what is refused, what is reported, what processes share.

import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createJsonRpcClient } from '@provenance-registry/chain-client';
import { createPublicClient, createWalletClient, http } from 'viem';
import { hardhat } from 'viem/chains';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../../test/support/ports.js';
import { createMigratedDatabase, query } from '../../../../test/support/postgres.js';
import { startRecordingNode } from '../../../../test/support/registryChain.js';
import {
  call,
  findStartProblems,
  launchService,
  newDataFolder,
  type Service,
  startService,
  startServiceProcess,
  waitForLog,
} from '../../../../test/support/service.js';
import { admin, testWallet } from '../../../../test/support/wallets.js';
import { findContractProblem } from '../../src/chain/registryContract.js';
import { type DeployedChain, startDeployedChain } from '../support/deployedChain.js';

const running: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of running.splice(0)) await close();
});

async function startChain(...options: Parameters<typeof startDeployedChain>): Promise<DeployedChain> {
  const chain = await startDeployedChain(...options);
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= chain.close();
    return closed;
  };
  running.push(close);
  return { ...chain, close };
}

const readiness = (service: Service) => call(service, 'GET', '/readyz');

/** A single look gives up after a second, which a busy machine may take to answer it. */
async function untilChainIsThere(service: Service): Promise<void> {
  await expect
    .poll(() => readiness(service))
    .toMatchObject({ status: 200, body: { status: 'ready', checks: { chain: 'ok' } } });
}

async function metric(service: Service, name: string): Promise<number | undefined> {
  const { body } = await call(service, 'GET', '/metrics');
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(body)?.[1];
  return value === undefined ? undefined : Number(value);
}

/** Whether a process listens there. */
async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe('a wrong node is refused at startup', () => {
  let chain: DeployedChain;
  beforeAll(async () => {
    chain = await startDeployedChain();
    return chain.close;
  });

  it('with another chain id', async () => {
    const [DATABASE_URL, DATA_DIR] = [await createMigratedDatabase(), await newDataFolder()];
    const service = await launchService({ ...chain.settings, CHAIN_ID: '1', DATABASE_URL, DATA_DIR });
    const [code] = await once(service.process, 'close');
    expect([code, service.output()]).toEqual([
      2,
      { log: '', messages: 'CHAIN_ID: it is 1, and the node is on chain 31337\n' },
    ]);
  });

  it('on another chain than the database has been used with, unless CHAIN_ID names it', async () => {
    const { settings } = chain;
    const DATABASE_URL = await createMigratedDatabase();
    const first = await startService({ ...settings, DATABASE_URL });
    await first.end();
    await query(DATABASE_URL, 'update registries set chain_id = 11155111');
    expect(await findStartProblems({ ...settings, DATABASE_URL })).toEqual([
      'RPC_URL: the node is on chain 31337, and this database has written to chain 11155111; set CHAIN_ID if that is intended',
    ]);
    expect(await findStartProblems({ DATABASE_URL })).toEqual([
      'RPC_URL: it is not set, and this database has written to chain 11155111',
    ]);
    const service = await startService({ ...settings, DATABASE_URL, CHAIN_ID: '31337' });
    await untilChainIsThere(service);
  });

  it('without a contract at the address', async () => {
    const address = testWallet(0).address.toLowerCase();
    expect(await findStartProblems({ ...chain.settings, REGISTRY_ADDRESS: address })).toEqual([
      `REGISTRY_ADDRESS: there is no contract at ${address}`,
    ]);
  });

  it('with another contract at the address', async () => {
    const { settings, url } = chain;
    // It stops when it is called, whatever it is asked.
    const wallet = createWalletClient({ account: testWallet(0), chain: hardhat, transport: http(url) });
    const hash = await wallet.sendTransaction({ data: '0x60015ff3' });
    const { contractAddress } = await createPublicClient({ transport: http(url) }).getTransactionReceipt({ hash });
    const REGISTRY_ADDRESS = String(contractAddress);
    expect(await findStartProblems({ ...settings, REGISTRY_ADDRESS })).toEqual([
      `REGISTRY_ADDRESS: the contract at ${REGISTRY_ADDRESS} is not a registry of C2PA 2.2.0`,
    ]);
  });

  it('whose registry does not let the key write, or with an invalid key', async () => {
    const { settings } = chain;
    const other = `0x${'a1'.repeat(32)}`;
    expect(await findStartProblems({ ...settings, CHAIN_PRIVATE_KEY: other })).toEqual([
      `CHAIN_PRIVATE_KEY: its account ${admin.address} may not write to the registry at ${settings.REGISTRY_ADDRESS.toLowerCase()}`,
    ]);
    expect(await findStartProblems({ ...settings, CHAIN_PRIVATE_KEY: `0x${'ff'.repeat(32)}` })).toEqual([
      'CHAIN_PRIVATE_KEY: not a valid private key',
    ]);
  });
});

describe('a contract', () => {
  const address = `0x${'12'.repeat(20)}` as const;

  /** Checks a contract at a node that returns this for every call of it. */
  async function faultOf(answer: object): Promise<string | undefined> {
    const node = await startRecordingNode();
    running.push(node.close);
    node.misbehave((response, [asked]) => {
      const { id, method } = asked ?? { id: 0, method: '' };
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(method === 'eth_getCode' ? { result: '0x60' } : answer) }));
    });
    return findContractProblem(createJsonRpcClient({ url: node.url }), address, undefined);
  }

  it.each([
    ['returns nothing', { result: '0x' }],
    ['returns other bytes', { result: `0x${'00'.repeat(31)}01` }],
    ['reverts, in the words of geth', { error: { code: 3, message: 'execution reverted', data: '0x' } }],
    ['reverts, in other words', { error: { code: -32_000, message: 'VM execution error: Reverted' } }],
    ['fails with an invalid opcode', { error: { code: -32_000, message: 'invalid opcode: INVALID' } }],
  ])('that %s is not a registry', async (_, answer) => {
    expect(await faultOf(answer)).toBe(`REGISTRY_ADDRESS: the contract at ${address} is not a registry of C2PA 2.2.0`);
  });

  it.each([
    ['limits the rate of calls', { error: { code: -32_005, message: 'rate limit exceeded' } }],
    ['has an internal error', { error: { code: -32_603, message: 'Internal error' } }],
    ['does not have the block', { error: { code: -32_000, message: 'header not found' } }],
    ['does not speak JSON-RPC', {}],
  ])('is not blamed when the node %s', async (_, answer) => {
    await expect(faultOf(answer)).rejects.toThrow();
  });
});

describe('an unavailable node', () => {
  it('at startup is waited for, and used once it is available', async () => {
    const port = await freePort();
    const { folder, settings, close } = await startChain({ port });
    await close();
    const url = `http://127.0.0.1:${port}/secret-api-key`;
    const PUBLIC_RPC_URL = 'https://node.example';
    const service = await startService({ ...settings, RPC_URL: url, PUBLIC_RPC_URL });
    expect(await readiness(service)).toMatchObject({ status: 200, body: { checks: { chain: 'unavailable' } } });
    const contract = async () => (await call(service, 'GET', '/c2pa/contract')).body;
    const known = { address: settings.REGISTRY_ADDRESS, abi: expect.any(Array), rpcUrl: PUBLIC_RPC_URL };
    expect(await contract()).toEqual(known);

    await startChain({ folder, port });
    await waitForLog(service, 'chain: the node is available');
    expect(await contract()).toEqual({ ...known, chainId: 31_337 });
    await untilChainIsThere(service);
    await vi.waitFor(async () => expect(await metric(service, 'chain_balance_ether')).toBe(100), { timeout: 240_000 });
    const { log, messages } = service.output();
    expect(log).toContain('the node cannot be reached (ECONNREFUSED)');
    expect(`${log}${messages}`).not.toContain('secret-api-key');
  });

  it('at startup is checked once it is available, and not used when it is the wrong one', async () => {
    const port = await freePort();
    const { folder, settings, close } = await startChain({ port });
    await close();
    const service = await startService({ ...settings, CHAIN_ID: '1' });
    await startChain({ folder, port });
    await waitForLog(service, 'CHAIN_ID: it is 1, and the node is on chain 31337');
    expect(await readiness(service)).toMatchObject({ status: 200, body: { checks: { chain: 'unavailable' } } });
    expect(await metric(service, 'chain_balance_ether')).toBeUndefined();
  });

  it('later is reported, and affects nothing but the chain', async () => {
    const { folder, port, settings, close } = await startChain();
    const service = await startService(settings);
    await untilChainIsThere(service);
    await close();
    expect(await readiness(service)).toMatchObject({
      status: 200,
      body: { status: 'ready', checks: { database: 'ok', chain: 'unavailable' } },
    });
    expect((await call(service, 'GET', '/metrics')).status).toBe(200);
    await startChain({ folder, port });
    await untilChainIsThere(service);
  });
});

describe('with RPC_URL', () => {
  it('nothing of the development chain starts: no port, no folder, no key', async () => {
    const { settings } = await startChain();
    const CHAIN_PORT = String(await freePort());
    const DATA_DIR = await newDataFolder();
    const service = await startService({ ...settings, CHAIN_PORT, DATA_DIR });
    await untilChainIsThere(service);
    expect(await isOpen(Number(CHAIN_PORT))).toBe(false);
    for (const name of ['chain', 'chain-key', 'chain-admin-key'])
      expect(await exists(join(DATA_DIR, name))).toBe(false);
  });

  it('a service that only serves requests needs no key, and writes nothing', async () => {
    const { settings } = await startChain();
    const { RPC_URL, REGISTRY_ADDRESS } = settings;
    const service = await startService({ RPC_URL, REGISTRY_ADDRESS, ROLE: 'api' });
    await untilChainIsThere(service);
    expect(await metric(service, 'chain_pending_artifacts')).toBe(0);
    expect(await metric(service, 'chain_balance_ether')).toBeUndefined();
  });
});

describe('operators', () => {
  it('see pending registrations and the balance in the metrics', async () => {
    const { settings } = await startChain();
    // The counters of a process start at zero.
    const service = await startServiceProcess(settings);
    await vi.waitFor(async () => expect(await metric(service, 'chain_balance_ether')).toBe(100), { timeout: 240_000 });
    for (const name of ['pending_artifacts', 'oldest_pending_seconds', 'balance_low', 'breaker_open']) {
      expect(await metric(service, `chain_${name}`)).toBe(0);
    }
    expect(await metric(service, 'chain_lease_held')).toBe(1);
    expect(await metric(service, 'chain_gas_per_registration')).toBeUndefined();
    for (const outcome of ['confirmed', 'reverted', 'replaced', 'lost', 'reorganised']) {
      expect(await metric(service, `chain_transactions_total\\{outcome="${outcome}"\\}`)).toBe(0);
    }
    expect(service.output().log).not.toContain('is low');
  });

  it('are warned when the balance of the writing key is low', async () => {
    const { settings } = await startChain({}, '0.01');
    const service = await startService(settings);
    await waitForLog(service, 'the balance of the writing key is low');
    await vi.waitFor(async () => expect(await metric(service, 'chain_balance_low')).toBe(1), { timeout: 240_000 });
    expect(await metric(service, 'chain_balance_ether')).toBe(0.01);
    expect(service.output().log).not.toContain(settings.CHAIN_PRIVATE_KEY.slice(2));
  });
});

describe('two processes without RPC_URL', () => {
  it('with one folder share one development chain when they start at the same moment', async () => {
    const shared = { DATA_DIR: await newDataFolder(), DATABASE_URL: await createMigratedDatabase() };
    const [api, worker] = await Promise.all([
      startServiceProcess({ ...shared, ROLE: 'api' }),
      startService({ ...shared, ROLE: 'worker', CHAIN_PORT: String(await freePort()) }),
    ]);
    for (const service of [api, worker]) await untilChainIsThere(service);
    await vi.waitFor(async () => expect(await metric(worker, 'chain_balance_ether')).toBeGreaterThan(9_999), {
      timeout: 240_000,
    });
    expect(await metric(api, 'chain_balance_ether')).toBeUndefined();
    expect((await call(api, 'GET', '/c2pa/contract')).status).toBe(200);
  });

  it('lose it when the process that runs it ends, and use it again when that process is back', async () => {
    const shared = { DATA_DIR: await newDataFolder(), DATABASE_URL: await createMigratedDatabase() };
    const CHAIN_PORT = String(await freePort());
    const owner = await startServiceProcess({ ...shared, CHAIN_PORT });
    const guest = await startService({ ...shared, CHAIN_PORT: String(await freePort()) });
    await owner.end('SIGKILL');
    expect(await readiness(guest)).toMatchObject({ status: 200, body: { checks: { chain: 'unavailable' } } });
    await startServiceProcess({ ...shared, CHAIN_PORT });
    await untilChainIsThere(guest);
  });
});
