// The development chain: what clients see of it, and that nothing that it has answered is ever lost.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, open, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Contract, ContractFactory, HDNodeWallet, JsonRpcProvider } from 'ethers';
import {
  type Address,
  BaseError,
  ContractFunctionRevertedError,
  concatHex,
  createPublicClient,
  createWalletClient,
  type Hash,
  type Hex,
  http,
  parseAbi,
  toEventSelector,
  toFunctionSelector,
} from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { hardhat } from 'viem/chains';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type DevelopmentChain, startDevelopmentChain } from '../src/chain/developmentChain.js';
import { openDurableChain } from '../src/chain/durableChain.js';
import { encodeRecord } from '../src/chain/journal.js';
import { temporaryFolder } from './support/service.js';

const MNEMONIC = 'test test test test test test test test test test test junk';
const accounts = Array.from({ length: 10 }, (_, addressIndex) => mnemonicToAccount(MNEMONIC, { addressIndex }));
const [alice, bob] = [accountAt(0), accountAt(1)];
const ETHER = 10n ** 18n;

/** Logs 42 when it is sent nothing, and reverts with Refused(42) when it is called. */
const abi = parseAbi(['event Logged(uint256 value)', 'error Refused(uint256 reason)', 'function refuse()']);
const topic = toEventSelector('Logged(uint256)').slice(2);
const refused = toFunctionSelector('Refused(uint256)').slice(2);
const bytecode = concatHex([
  '0x60408060095f395ff3',
  `0x36602e57602a5f527f${topic}60205fa1005b63${refused}5f52602a6020526024601cfd`,
]);

const running: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  for (const end of running.splice(0)) await end();
});

type Settings = Partial<Parameters<typeof startDevelopmentChain>[0]>;

async function start(folder: string, settings: Settings = {}): Promise<DevelopmentChain> {
  const chain = await startDevelopmentChain({
    folder,
    port: 0,
    funded: [],
    confirmations: 1,
    onFault: fail,
    ...settings,
  });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= chain.close();
    return closed;
  };
  running.push(close);
  return { url: chain.url, close };
}

/** Without the HTTP server. */
async function openChain(folder: string, settings: Partial<Parameters<typeof openDurableChain>[0]> = {}) {
  const path = join(folder, 'journal');
  return openDurableChain({
    path,
    funded: accounts.map(({ address }) => address),
    confirmations: 1,
    clock: () => new Date(),
    onFault: fail,
    ...settings,
  });
}

function fail(reason: unknown): void {
  throw reason;
}

function accountAt(index: number) {
  const account = accounts[index];
  if (!account) throw new Error('no such account');
  return account;
}

function transfer(
  from: typeof alice,
  nonce: number,
  fields: { value?: bigint; to?: Address; fee?: bigint; tip?: bigint } = {},
) {
  return from.signTransaction({
    chainId: 31_337,
    type: 'eip1559',
    to: fields.to ?? bob.address,
    value: fields.value ?? 1n,
    gas: 21_000n,
    maxFeePerGas: fields.fee ?? 10_000_000_000n,
    maxPriorityFeePerGas: fields.tip ?? 1n,
    nonce,
  });
}

interface RpcAnswer {
  readonly id?: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects by asserting it
  readonly result?: any;
  readonly error?: { code: number; message: string; data?: string };
}

async function post(url: string, body: unknown): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text });
}

async function rpc(url: string, method: string, ...params: unknown[]): Promise<RpcAnswer> {
  return (await (await post(url, { jsonrpc: '2.0', id: 1, method, params })).json()) as RpcAnswer;
}

const receiptOf = async (url: string, hash: Hash) => (await rpc(url, 'eth_getTransactionReceipt', hash)).result;
const tipOf = async (url: string) => (await rpc(url, 'eth_getBlockByNumber', 'latest', false)).result;

async function sent(url: string, transaction: Hex): Promise<Hash> {
  const { result, error } = await rpc(url, 'eth_sendRawTransaction', transaction);
  if (error) throw new Error(error.message);
  return result;
}

const viemClients = (url: string) => {
  const transport = http(url, { batch: true, retryCount: 0 });
  const account = alice;
  return {
    reader: createPublicClient({ chain: hardhat, transport, pollingInterval: 20 }),
    writer: createWalletClient({ chain: hardhat, transport, account }),
  };
};

describe('clients', () => {
  it('viem deploys, sends, estimates, and reads receipts, logs and fees', async () => {
    const { url } = await start(await temporaryFolder());
    const { reader, writer } = viemClients(url);
    const deployment = await reader.getTransactionReceipt({ hash: await writer.deployContract({ abi, bytecode }) });
    const address = deployment.contractAddress;
    if (!address) throw new Error('no contract');
    expect(await reader.getChainId()).toBe(31_337);
    expect(await reader.estimateGas({ account: alice, to: address })).toBeGreaterThan(21_000n);

    const receipt = await reader.getTransactionReceipt({ hash: await writer.sendTransaction({ to: address }) });
    expect(receipt).toMatchObject({ status: 'success', blockNumber: 2n });
    const logs = await reader.getContractEvents({ abi, address, fromBlock: 0n, strict: true });
    expect(logs.map(({ args }) => args.value)).toEqual([42n]);

    const fees = await reader.getFeeHistory({ blockCount: 2, rewardPercentiles: [50] });
    expect(fees.baseFeePerGas).toHaveLength(3);
    expect((await reader.estimateFeesPerGas()).maxFeePerGas).toBeGreaterThan(0n);
  });

  it('viem decodes why a contract refused, when asked and when estimating', async () => {
    const { url } = await start(await temporaryFolder());
    const { reader, writer } = viemClients(url);
    const { contractAddress } = await reader.getTransactionReceipt({
      hash: await writer.deployContract({ abi, bytecode }),
    });
    if (!contractAddress) throw new Error('no contract');
    const call = { abi, address: contractAddress, functionName: 'refuse', account: alice } as const;
    for (const refusal of [reader.simulateContract(call), reader.estimateContractGas(call)]) {
      const error = await refusal.catch((reason: unknown) => reason);
      const reverted = error instanceof BaseError && error.walk((one) => one instanceof ContractFunctionRevertedError);
      if (!(reverted instanceof ContractFunctionRevertedError)) throw error;
      expect(reverted.data).toMatchObject({ errorName: 'Refused', args: [42n] });
    }
  });

  it('viem puts what it asks at once into one request', async () => {
    const { url } = await start(await temporaryFolder());
    const { reader } = viemClients(url);
    const balances = await Promise.all(accounts.map(({ address }) => reader.getBalance({ address })));
    expect(balances).toEqual(accounts.map(() => 10_000n * ETHER));
  });

  it('ethers deploys, sends, reads logs, and decodes why a contract refused', async () => {
    const { url } = await start(await temporaryFolder());
    const provider = new JsonRpcProvider(url, undefined, { pollingInterval: 20, cacheTimeout: -1 });
    running.push(async () => provider.destroy());
    const signer = HDNodeWallet.fromPhrase(MNEMONIC).connect(provider);
    const text = ['event Logged(uint256 value)', 'error Refused(uint256 reason)', 'function refuse()'];
    const deployed = await new ContractFactory(text, bytecode, signer).deploy();
    await deployed.waitForDeployment();
    const contract = new Contract(await deployed.getAddress(), text, signer);

    const receipt = await (await signer.sendTransaction({ to: contract.getAddress() })).wait();
    expect(receipt?.status).toBe(1);
    const [log] = await contract.queryFilter('Logged', 0);
    expect(log && contract.interface.parseLog(log)?.args.toArray()).toEqual([42n]);
    const refusal = contract.getFunction('refuse');
    await expect(refusal.staticCall()).rejects.toMatchObject({ revert: { name: 'Refused' } });
    await expect(refusal.estimateGas()).rejects.toMatchObject({ code: 'CALL_EXCEPTION' });
    expect((await provider.getFeeData()).maxFeePerGas).toBeGreaterThan(0n);
  });

  it('a batch is done in order and answered by id, and notifications are not answered', async () => {
    const { url } = await start(await temporaryFolder());
    const transaction = await transfer(alice, 0);
    const { result: hash } = await rpc(url, 'web3_sha3', transaction);
    const answers = await post(url, [
      { jsonrpc: '2.0', id: 7, method: 'eth_sendRawTransaction', params: [transaction] },
      { jsonrpc: '2.0', method: 'eth_blockNumber' },
      { jsonrpc: '2.0', id: 'x', method: 'eth_getTransactionReceipt', params: [hash] },
      { jsonrpc: '2.0', id: 0, method: 'eth_noSuchThing' },
      17,
    ]);
    expect(await answers.json()).toMatchObject([
      { id: 7, result: hash },
      { id: 'x', result: { transactionHash: hash, blockNumber: '0x1' } },
      { id: 0, error: { code: -32_601 } },
      { id: null, error: { code: -32_600 } },
    ]);
    const notified = await post(url, [{ jsonrpc: '2.0', method: 'eth_blockNumber' }]);
    expect([notified.status, await notified.text()]).toEqual([204, '']);
  });

  it.each([
    ['what is not JSON', '{', -32_700],
    ['an empty batch', '[]', -32_600],
    ['a request without a method', '{"jsonrpc":"2.0","id":1}', -32_600],
    ['parameters by name', '{"jsonrpc":"2.0","id":1,"method":"eth_call","params":{"to":"0x"}}', -32_602],
    ['more requests than a batch may hold', JSON.stringify(Array(1_001).fill(0)), -32_600],
  ])('%s is refused with the number that JSON-RPC has for it', async (_, body, code) => {
    const { url } = await start(await temporaryFolder());
    expect(await (await post(url, body)).json()).toMatchObject({ jsonrpc: '2.0', error: { code } });
  });

  it('a request that is too large is refused by name, and the next one answered', async () => {
    const { url } = await start(await temporaryFolder());
    const answer = await post(url, 'x'.repeat(5 * 2 ** 20 + 1));
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ error: { message: expect.stringContaining('5242880') } });
    expect((await rpc(url, 'eth_blockNumber')).result).toBe('0x0');
  });

  it('pages of any origin may ask, and who opens the address reads what it is for', async () => {
    const { url } = await start(await temporaryFolder());
    const preflight = await fetch(url, { method: 'OPTIONS' });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toBe('*');
    const answer = await post(url, { jsonrpc: '2.0', id: 1, method: 'eth_chainId' });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const page = await fetch(url);
    expect([page.status, await page.text()]).toEqual([405, expect.stringContaining('POST')]);
  });
});

describe('what everybody may ask', () => {
  it('the chain holds no keys', async () => {
    const { url } = await start(await temporaryFolder());
    expect((await rpc(url, 'eth_accounts')).result).toEqual([]);
  });

  it.each([
    'eth_sendTransaction',
    'eth_sign',
    'eth_signTransaction',
    'eth_signTypedData_v4',
    'personal_sign',
    'eth_subscribe',
    'eth_getBlockReceipts',
    'evm_mine',
    'evm_revert',
    'evm_setNextBlockTimestamp',
    'hardhat_setBalance',
    'hardhat_impersonateAccount',
    'debug_traceTransaction',
    'constructor',
  ])('%s is not among it', async (method) => {
    const { url } = await start(await temporaryFolder());
    const { error } = await rpc(url, method);
    expect(error).toMatchObject({ code: -32_601, message: expect.stringContaining(method) });
  });

  it('logs of more than 10,000 blocks are asked for in parts', async () => {
    const { url } = await start(await temporaryFolder());
    const range = (fromBlock: string, toBlock?: string) => rpc(url, 'eth_getLogs', { fromBlock, toBlock });
    expect((await range('0x0', '0x270f')).result).toEqual([]);
    expect((await range('earliest', '0x2710')).error).toMatchObject({
      code: -32_602,
      message: expect.stringContaining('10000'),
    });
    expect((await range('earliest')).result).toEqual([]);
    expect((await rpc(url, 'eth_newFilter', { fromBlock: '0x0', toBlock: '0x2710' })).error?.code).toBe(-32_602);
  });
});

describe('transactions', () => {
  it('one that comes before a nonce that it needs is found as pending, outlives a restart, and is mined then', async () => {
    const folder = await temporaryFolder();
    const first = await start(folder);
    const [later, latest] = [await transfer(alice, 1), await transfer(alice, 2)];
    const hashes = [await sent(first.url, latest), await sent(first.url, later)];
    expect((await rpc(first.url, 'eth_getTransactionByHash', hashes[0])).result).toMatchObject({ blockNumber: null });
    expect((await rpc(first.url, 'eth_blockNumber')).result).toBe('0x0');
    await first.close();

    const { url } = await start(folder);
    expect((await rpc(url, 'eth_getTransactionByHash', hashes[1])).result).toMatchObject({ nonce: '0x1' });
    expect((await rpc(url, 'eth_sendRawTransaction', later)).error?.message).toContain('already known');
    await sent(url, await transfer(alice, 0));
    for (const hash of hashes) expect(await receiptOf(url, hash)).toMatchObject({ blockNumber: '0x1' });
  });

  it('one that pays too little waits, and is replaced by one that pays enough', async () => {
    const { url } = await start(await temporaryFolder());
    const cheap = await sent(url, await transfer(alice, 0, { fee: 10n }));
    expect(await receiptOf(url, cheap)).toBeNull();
    const enough = await sent(url, await transfer(alice, 0, { tip: 2n }));
    expect(await receiptOf(url, enough)).toMatchObject({ status: '0x1' });
    expect((await rpc(url, 'eth_getTransactionByHash', cheap)).result).toBeNull();
  });

  it('one whose sender can no longer pay for it is refused, and keeps nobody else from being mined', async () => {
    const folder = await temporaryFolder();
    const chain = await openChain(folder);
    const [spends, cannotPay, other] = await Promise.allSettled([
      chain.send(await transfer(alice, 0, { value: 6_000n * ETHER })),
      chain.send(await transfer(alice, 1, { value: 6_000n * ETHER })),
      chain.send(await transfer(bob, 0)),
    ]);
    expect([spends.status, other.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(cannotPay).toMatchObject({ reason: { message: expect.stringContaining('insufficient funds') } });
    await chain.close();
    await (await openChain(folder)).close();
  });

  it('of senders at once share a block, whatever order their nonces come in, and come back the same', async () => {
    const folder = await temporaryFolder();
    const chain = await openChain(folder);
    const nonces = [3, 0, 2, 1, 4];
    const transactions = await Promise.all(
      nonces.flatMap((nonce) => accounts.slice(0, 4).map((account) => transfer(account, nonce))),
    );
    await Promise.all(transactions.map((transaction) => chain.send(transaction)));
    const tip = await chain.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
    expect(tip).toMatchObject({ transactions: expect.toSatisfy((list) => list.length > 10) });
    await chain.close();
    const again = await openChain(folder);
    expect(await again.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })).toEqual(tip);
    await again.close();
  });

  it('are told once to whoever has a filter, also when they had to wait for a nonce', async () => {
    const { url } = await start(await temporaryFolder());
    const ask = async (method: string, ...params: unknown[]) => (await rpc(url, method, ...params)).result;
    const [logs, blocks] = [await ask('eth_newFilter', {}), await ask('eth_newBlockFilter')];
    const log = (nonce: number) =>
      alice.signTransaction({ chainId: 31_337, data: '0x5f5fa0', gas: 100_000n, maxFeePerGas: 10n ** 10n, nonce });
    for (const nonce of [1, 2, 0]) await sent(url, await log(nonce));
    expect(await ask('eth_getFilterChanges', logs)).toMatchObject([{ logIndex: '0x0' }, { logIndex: '0x1' }, {}]);
    expect(await ask('eth_getFilterChanges', blocks)).toContain((await tipOf(url)).hash);
    expect(await ask('eth_getFilterChanges', logs)).toEqual([]);
  });

  it('that do not fit into one block fill several', async () => {
    const folder = await temporaryFolder();
    const chain = await openChain(folder);
    const burn = (nonce: number) =>
      // An instruction that does not exist uses up all gas.
      alice.signTransaction({ chainId: 31_337, data: '0xfe', gas: 16_000_000n, maxFeePerGas: 10n ** 10n, nonce });
    const transactions = await Promise.all([0, 1, 2, 3, 4, 5, 6].map(burn));
    const hashes = await Promise.all(transactions.map((transaction) => chain.send(transaction)));
    const blocks = await Promise.all(
      hashes.map((hash) => chain.request({ method: 'eth_getTransactionReceipt', params: [hash] })),
    );
    expect(new Set(blocks.map((receipt) => (receipt as { blockNumber: string }).blockNumber)).size).toBeGreaterThan(2);
    await chain.close();
    await (await openChain(folder)).close();
  });
});

describe('blocks', () => {
  it('follow the clock, and never go back with it', async () => {
    const times = [1_800_000_000, 1_800_000_500, 1_800_000_400, 1_800_000_401, 1_800_000_900];
    let now = times[0] ?? 0;
    const { url } = await start(await temporaryFolder(), { clock: () => new Date(now * 1_000) });
    const made = [];
    for (const [nonce, time] of times.entries()) {
      now = time;
      await sent(url, await transfer(alice, nonce));
      made.push(Number((await tipOf(url)).timestamp));
    }
    expect(made).toEqual([1_800_000_001, 1_800_000_500, 1_800_000_501, 1_800_000_502, 1_800_000_900]);
  });

  it('follow a transaction by themselves until it is three deep', async () => {
    const { url } = await start(await temporaryFolder(), { confirmations: 3 });
    const { reader } = viemClients(url);
    const hash = await sent(url, await transfer(alice, 0));
    await reader.waitForTransactionReceipt({ hash, confirmations: 3 });
    expect((await tipOf(url)).number).toBe('0x3');
  });

  it('stop following then, go on after a restart, and are never made for nothing', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const folder = await temporaryFolder();
    const chain = await openChain(folder, { confirmations: 3 });
    const second = async (ticking: typeof chain) => {
      await vi.advanceTimersByTimeAsync(1_000);
      return ticking.request({ method: 'eth_blockNumber' });
    };
    expect(await second(chain)).toBe('0x0');
    await chain.send(await transfer(alice, 0));
    expect(await second(chain)).toBe('0x2');
    await chain.close();

    const again = await openChain(folder, { confirmations: 3 });
    const numbers = [await second(again), await second(again), await second(again)];
    expect(numbers).toEqual(['0x3', '0x3', '0x3']);
    await again.close();
  });
});

describe('a chain that starts again', () => {
  it('gives new accounts their money, once', async () => {
    const folder = await temporaryFolder();
    const late: Address = '0x00000000000000000000000000000000000000aa';
    const first = await start(folder);
    await sent(first.url, await transfer(alice, 0, { to: late, value: ETHER }));
    await first.close();
    for (let round = 0; round < 3; round += 1) {
      const { url, close } = await start(folder, { funded: [late] });
      expect(BigInt((await rpc(url, 'eth_getBalance', late, 'latest')).result)).toBe(10_001n * ETHER);
      await sent(url, await transfer(alice, round + 1));
      await close();
    }
  });

  it('cuts off what a kill left of a record, wherever it was cut, and goes on', async () => {
    const folder = await temporaryFolder();
    const journal = join(folder, 'journal');
    const chain = await openChain(folder);
    await chain.send(await transfer(alice, 0));
    const whole = (await stat(journal)).size;
    await chain.send(await transfer(alice, 1));
    await chain.close();
    const all = await readFile(journal);
    for (let length = whole; length < all.length; length += length < all.length - 9 ? 61 : 1) {
      await writeFile(journal, all.subarray(0, length));
      const again = await openChain(folder);
      expect(await again.request({ method: 'eth_blockNumber' })).toBe('0x1');
      expect((await stat(journal)).size).toBe(whole);
      await again.send(await transfer(alice, 1));
      await again.close();
      await (await openChain(folder)).close();
    }
  });

  it('begins anew when not even its genesis was written', async () => {
    const folder = await temporaryFolder();
    await (await openChain(folder)).close();
    await truncate(join(folder, 'journal'), 20);
    const again = await openChain(folder);
    await again.send(await transfer(alice, 0));
    await again.close();
  });

  it('refuses a journal in which any byte has changed, and names the file', async () => {
    const folder = await temporaryFolder();
    const journal = join(folder, 'journal');
    const chain = await openChain(folder);
    await chain.send(await transfer(alice, 0));
    await chain.send(await transfer(alice, 1));
    await chain.close();
    const all = await readFile(journal);
    for (let at = all.length - 1; at >= 0; at -= 23) {
      const damaged = Buffer.from(all);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
      await writeFile(journal, damaged);
      await expect(openChain(folder)).rejects.toThrow(journal);
    }
  });

  it.each([
    ['lacks a block', (lines: string[]) => lines.toSpliced(1, 1)],
    ['has two blocks the wrong way round', (lines: string[]) => lines.toSpliced(1, 2, lines[2] ?? '', lines[1] ?? '')],
    ['has no beginning', (lines: string[]) => lines.slice(1)],
    ['begins twice', (lines: string[]) => [lines[0] ?? '', ...lines]],
  ])('refuses a journal that %s', async (_, change) => {
    const folder = await temporaryFolder();
    const journal = join(folder, 'journal');
    const chain = await openChain(folder);
    for (const account of accounts.slice(0, 3)) await chain.send(await transfer(account, 0));
    await chain.close();
    const lines = (await readFile(journal, 'utf8')).split('\n').slice(0, -1);
    await writeFile(
      journal,
      change(lines).map((line) => `${line}\n`),
    );
    await expect(openChain(folder)).rejects.toThrow(journal);
  });

  it('refuses a journal whose blocks do not come out as they were', async () => {
    const folder = await temporaryFolder();
    const journal = join(folder, 'journal');
    const chain = await openChain(folder);
    await chain.send(await transfer(alice, 0));
    await chain.close();
    const lines = (await readFile(journal, 'utf8')).split('\n');
    const block = JSON.parse(lines[1]?.slice(17) ?? '');
    await writeFile(journal, [`${lines[0]}\n`, encodeRecord({ ...block, timestamp: block.timestamp + 1 })]);
    await expect(openChain(folder)).rejects.toThrow(/block 1 was 0x.*comes out as/);
  });
});

describe('what was answered', () => {
  it('is on the disk first', async () => {
    const folder = await temporaryFolder();
    const chain = await openChain(folder);
    const order: string[] = [];
    await onSync(async (sync) => {
      await new Promise(setImmediate);
      await sync();
      order.push('synced');
    });
    const read = async () => {
      const number = await chain.request({ method: 'eth_blockNumber' });
      if (number !== '0x0') order.push('read');
    };
    const sending = chain.send(await transfer(alice, 0)).then(() => order.push('answered'));
    await Promise.all([sending, read(), read()]);
    expect(order[0]).toBe('synced');
    expect(order).toContain('read');
    await chain.close();
  });

  it('is all that is left when the disk fails, and reading goes on', async () => {
    const folder = await temporaryFolder();
    const faults: unknown[] = [];
    const chain = await openChain(folder, { onFault: (fault) => faults.push(fault) });
    await chain.send(await transfer(alice, 0));
    const tip = await chain.request({ method: 'eth_getBlockByNumber', params: ['latest', false] });
    await onSync(async () => {
      throw new Error('input/output error');
    });
    const both = await Promise.all([transfer(alice, 1), transfer(bob, 0)]);
    const refusals = await Promise.allSettled(both.map((transaction) => chain.send(transaction)));
    expect(refusals.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await chain.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })).toEqual(tip);
    expect(faults).toMatchObject([{ message: expect.stringContaining(folder), cause: { message: /input/ } }]);

    vi.restoreAllMocks();
    const copy = await temporaryFolder();
    await copyFile(join(folder, 'journal'), join(copy, 'journal'));
    const asLeft = await openChain(copy);
    expect(await asLeft.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })).toEqual(tip);
    await asLeft.close();
    await chain.send(await transfer(alice, 1));
    await chain.close();
  });

  it('is all there when the disk was full, and taking more begins again when there is room', async () => {
    const folder = await temporaryFolder();
    const full = await launch(folder, { maxFileKilobytes: 16 });
    const answered: Hash[] = [];
    let refusal: RpcAnswer['error'];
    while (!refusal) {
      const { result, error } = await rpc(full.url, 'eth_sendRawTransaction', await transfer(alice, answered.length));
      if (error) refusal = error;
      else answered.push(result);
    }
    expect(refusal).toMatchObject({ code: -32_000, message: expect.stringContaining('journal cannot be written') });
    expect(answered.length).toBeGreaterThan(5);
    const tip = await tipOf(full.url);
    expect(Number(tip.number)).toBe(answered.length);

    execFileSync('prlimit', [`--pid=${full.process.pid}`, '--fsize=unlimited:']);
    await sent(full.url, await transfer(alice, answered.length));
    const grown = await tipOf(full.url);
    expect(Number(grown.number)).toBe(answered.length + 1);
    await full.end();
    const again = await launch(folder);
    expect(await tipOf(again.url)).toEqual(grown);
    await again.end();
  });

  it('is all there, in the same blocks, after each of six kills under load', async () => {
    const folder = await temporaryFolder();
    const known = new Map<Hash, string | undefined>();
    for (let round = 0; round < 6; round += 1) {
      const chain = await launch(folder);
      await expectAll(chain.url, known);
      let answers = 0;
      const killAfter = 10 + Math.floor(Math.random() * 60);
      await Promise.all(
        accounts.slice(0, 4).map((account) =>
          sendUntilKilled(chain.url, account, (hash, block) => {
            known.set(hash, block);
            answers += 1;
            if (answers === killAfter) chain.process.kill('SIGKILL');
          }),
        ),
      );
      await chain.end();
    }
    const { url, end } = await launch(folder);
    await expectAll(url, known);
    await end();
  });
});

describe('a second chain', () => {
  it('on the same folder is refused, from the same process and from another', async () => {
    const folder = await temporaryFolder();
    const { close } = await start(folder);
    await expect(start(folder)).rejects.toThrow(`The folder ${folder} is in use`);
    await expect(launch(folder)).rejects.toThrow(`The folder ${folder} is in use`);
    await close();
    await start(folder);
  });

  it('on the same port is refused with one clear reason, and leaves its folder free', async () => {
    const { url } = await start(await temporaryFolder());
    const port = Number(new URL(url).port);
    const folder = await temporaryFolder();
    await expect(start(folder, { port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
      message: `Port ${port} of 127.0.0.1 is in use by another program.`,
    });
    await start(folder);
  });

  it('on a copy of the folder is the same chain', async () => {
    const [folder, copy] = [await temporaryFolder(), await temporaryFolder()];
    const { url } = await start(folder);
    await sent(url, await transfer(alice, 0));
    await copyFile(join(folder, 'journal'), join(copy, 'journal'));
    expect(await tipOf((await start(copy)).url)).toEqual(await tipOf(url));
  });
});

/** Stands between the journal and the disk. */
async function onSync(replacement: (sync: () => Promise<void>) => Promise<void>): Promise<void> {
  const handle = await open('/dev/null');
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  const sync = prototype.datasync;
  vi.spyOn(prototype, 'datasync').mockImplementation(function (this: unknown) {
    return replacement(() => sync.call(this));
  });
}

/** Every transaction is in its block; in some block, when the kill came before that could be asked. */
async function expectAll(url: string, known: Map<Hash, string | undefined>): Promise<void> {
  for (const [hash, block] of known) {
    const receipt = await receiptOf(url, hash);
    expect(receipt).toMatchObject({ transactionHash: hash, blockHash: block ?? expect.any(String) });
    known.set(hash, receipt.blockHash);
  }
}

/** One transaction after the other, until nobody answers any more. */
async function sendUntilKilled(
  url: string,
  account: typeof alice,
  onAnswer: (hash: Hash, block: string | undefined) => void,
): Promise<void> {
  const answered = <T>(promise: Promise<T>) => promise.catch(() => undefined);
  const count = await answered(rpc(url, 'eth_getTransactionCount', account.address, 'latest'));
  for (let nonce = Number(count?.result); ; nonce += 1) {
    const transaction = await transfer(account, nonce);
    const answer = await answered(rpc(url, 'eth_sendRawTransaction', transaction));
    if (!answer) return;
    if (answer.error) throw new Error(answer.error.message);
    const receipt = await answered(receiptOf(url, answer.result));
    onAnswer(answer.result, receipt?.blockHash);
  }
}

interface Launched {
  readonly url: string;
  readonly process: ChildProcess;
  /** Kills it, unless it is dead. */
  end(): Promise<void>;
}

/** The chain in a process of its own. */
async function launch(folder: string, limits: { maxFileKilobytes?: number } = {}): Promise<Launched> {
  const module = new URL('../dist/chain/developmentChain.js', import.meta.url);
  const script = `
    import { startDevelopmentChain } from ${JSON.stringify(module.href)};
    const settings = { folder: ${JSON.stringify(folder)}, port: 0, funded: [], confirmations: 1, onFault() {} };
    startDevelopmentChain(settings).then(({ url }) => console.log(url), ({ message }) => console.log(message));`;
  const limit = limits.maxFileKilobytes === undefined ? '' : `ulimit -S -f ${limits.maxFileKilobytes}; `;
  const child = spawn('bash', ['-c', `${limit}exec "$0" --input-type=module -e "$1"`, process.execPath, script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  async function end() {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
  running.push(end);
  const [line] = await once(createInterface(child.stdout), 'line');
  if (!/^http:/.test(line)) throw new Error(line);
  return { url: line, process: child, end };
}
