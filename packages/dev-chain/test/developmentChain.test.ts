// The development chain as clients see it: what they may ask, and how what they send becomes blocks.

import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Contract, ContractFactory, HDNodeWallet, JsonRpcProvider } from 'ethers';
import {
  BaseError,
  ContractFunctionRevertedError,
  concatHex,
  createPublicClient,
  createWalletClient,
  http,
  parseAbi,
  toEventSelector,
  toFunctionSelector,
} from 'viem';
import { hardhat } from 'viem/chains';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../../test/support/service.js';
import { TEST_MNEMONIC } from '../../../test/support/wallets.js';
import { startDevelopmentChain } from '../src/developmentChain.js';
import { publicMethods } from '../src/methods.js';
import { accounts, alice, bob, ETHER, openChain, post, rpc, running, sent, start, tipOf, transfer } from './support.js';

/** Logs 42 when it is sent nothing, and reverts with Refused(42) when it is called. */
const abi = parseAbi(['event Logged(uint256 value)', 'error Refused(uint256 reason)', 'function refuse()']);
const topic = toEventSelector('Logged(uint256)').slice(2);
const refused = toFunctionSelector('Refused(uint256)').slice(2);
const bytecode = concatHex([
  '0x60408060095f395ff3',
  `0x36602e57602a5f527f${topic}60205fa1005b63${refused}5f52602a6020526024601cfd`,
]);

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

  it('viem decodes why a contract reverted, in calls and estimates', async () => {
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

  it('viem sends simultaneous calls in one request', async () => {
    const { url } = await start(await temporaryFolder());
    const { reader } = viemClients(url);
    const balances = await Promise.all(accounts.map(({ address }) => reader.getBalance({ address })));
    expect(balances).toEqual(accounts.map(() => 10_000n * ETHER));
  });

  it('ethers deploys, sends, reads logs, and decodes why a contract reverted', async () => {
    const { url } = await start(await temporaryFolder());
    const provider = new JsonRpcProvider(url, undefined, { pollingInterval: 20, cacheTimeout: -1 });
    running.push(async () => provider.destroy());
    const signer = HDNodeWallet.fromPhrase(TEST_MNEMONIC).connect(provider);
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

  it('a batch is executed in order, with responses by id and none to notifications', async () => {
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

  it('a request that is too large is rejected with the limit, and the next one is served', async () => {
    const { url } = await start(await temporaryFolder());
    const answer = await post(url, 'x'.repeat(5 * 2 ** 20 + 1));
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ error: { message: expect.stringContaining('5242880') } });
    expect((await rpc(url, 'eth_blockNumber')).result).toBe('0x0');
  });

  it('a browser that opens the URL gets an explanation', async () => {
    const { url } = await start(await temporaryFolder());
    const page = await fetch(url);
    expect([page.status, await page.text()]).toEqual([405, expect.stringContaining('POST')]);
  });
});

describe('access', () => {
  const origin = 'https://registry.example.com';
  let url: string;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const chain = await startDevelopmentChain({
      folder: await temporaryFolder(),
      port: 0,
      funded: [],
      confirmations: 1,
      origin,
      onFault: console.error,
    });
    ({ url, close } = chain);
  });
  afterAll(() => close());

  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' });
  /** By the plain HTTP client: fetch does not let us choose the Host. */
  async function send(headers: Record<string, string>, method = 'POST') {
    const request = httpRequest(url, { method, headers: { 'content-type': 'application/json', ...headers } });
    request.end(method === 'POST' ? body : undefined);
    const [response]: IncomingMessage[] = await once(request, 'response');
    if (!response) throw new Error('no response');
    const chunks: Buffer[] = await response.toArray();
    return { status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() };
  }

  it.each([
    ['a program, which sends no Origin', {}, 200],
    ['the page of the service', { origin }, 200],
    ['localhost', { host: 'localhost:8545' }, 200],
    ['the loopback address of IPv6', { host: '[::1]:8545' }, 200],
    ['a JSON type with a parameter', { 'content-type': 'application/json; charset=utf-8' }, 200],
    ['a page of another origin', { origin: 'https://evil.example' }, 403],
    ['a page on another port of the same host', { origin: `${origin}:8443` }, 403],
    ['a page without an origin of its own', { origin: 'null' }, 403],
    ['a page of this machine', { origin: 'http://127.0.0.1:3000' }, 403],
    ['a host whose DNS entry points to this machine', { host: 'evil.example:8545' }, 403],
    ['a host that begins like this machine', { host: '127.0.0.1.evil.example' }, 403],
    ['a host that ends like this machine', { host: 'evil.localhost' }, 403],
    ['a type that pages may send to any origin', { 'content-type': 'text/plain' }, 415],
    ['the type of a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['no type', { 'content-type': '' }, 415],
    ['a type that begins like JSON', { 'content-type': 'application/jsonx' }, 415],
  ])('for %s', async (_, headers, status) => {
    const response = await send(headers);
    expect(response.status).toBe(status);
    if (status === 200) expect(JSON.parse(response.text).result).toBe('0x7a69');
    const mayRead = status === 200 && 'origin' in headers;
    expect(response.headers['access-control-allow-origin']).toBe(mayRead ? origin : undefined);
  });

  it.each([
    [origin, 204],
    ['https://evil.example', 403],
  ])('the preflight request of a page of %s', async (pageOrigin, status) => {
    const { status: actual, headers } = await send({ origin: pageOrigin }, 'OPTIONS');
    expect(actual).toBe(status);
    expect(headers['access-control-allow-origin']).toBe(status === 204 ? pageOrigin : undefined);
    expect(headers['access-control-allow-headers']).toBe(status === 204 ? 'content-type' : undefined);
  });
});

describe('the public methods', () => {
  it('include none that uses keys of the node', async () => {
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
    'eth_getFilterLogs',
    'eth_simulateV1',
    'eth_createAccessList',
    'debug_traceTransaction',
    'debug_traceCall',
    'constructor',
  ])('%s is not among it', async (method) => {
    const { url } = await start(await temporaryFolder());
    const { error } = await rpc(url, method);
    expect(error).toMatchObject({ code: -32_601, message: expect.stringContaining(method) });
  });

  it.each(['eth_call', 'eth_estimateGas'])('%s takes no overrides', async (method) => {
    const { url } = await start(await temporaryFolder());
    const call = { to: bob.address };
    for (const overrides of [{ [bob.address]: { code: '0x5b5f56' } }, {}, null]) {
      const { error } = await rpc(url, method, call, 'latest', overrides);
      expect(error).toMatchObject({ code: -32_602, message: expect.stringContaining('overrides') });
    }
    expect((await rpc(url, method, call, 'latest')).error).toBeUndefined();
  });

  it('take the data of a call under its old name, its new one, or both', async () => {
    const { url } = await start(await temporaryFolder());
    // Returns the chain id.
    const code = '0x465f5260205ff3';
    const results = await Promise.all(
      [{ data: code }, { input: code }, { data: code, input: code }].map((call) =>
        rpc(url, 'eth_call', call, 'latest'),
      ),
    );
    expect(results.map(({ result }) => result)).toEqual(Array(3).fill(`0x${'7a69'.padStart(64, '0')}`));
    const { error } = await rpc(url, 'eth_call', { data: code, input: '0x00' }, 'latest');
    expect(error).toMatchObject({ code: -32_602 });
  });

  it('execute calls with at most the gas of a transaction, whatever they ask for', async () => {
    const { url } = await start(await temporaryFolder());
    // Returns the gas that is left.
    const { result } = await rpc(url, 'eth_call', { data: '0x5a5f5260205ff3', gas: '0xffffffffffff' }, 'latest');
    expect(Number(result)).toBeGreaterThan(16_000_000);
    expect(Number(result)).toBeLessThan(2 ** 24);
  });

  it('drop the waiting calls of a client that has disconnected', async () => {
    const chain = await openChain(await temporaryFolder());
    const client = new AbortController();
    const executed: unknown[] = [];
    const handle = publicMethods(chain, async (call) => {
      executed.push(call.params?.[0]);
      // While its first call is executed, and the others wait.
      client.abort();
      return chain.request(call);
    });
    const call = (signal: AbortSignal, value: string) =>
      handle({ method: 'eth_call', params: [{ to: bob.address, value }, 'latest'] }, { isOwn: false, signal });
    const calls = [call(client.signal, '0x1'), call(client.signal, '0x2'), call(new AbortController().signal, '0x3')];
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(executed).toMatchObject([{ value: '0x1' }, { value: '0x3' }]);
    await chain.close();
  });

  it('search the logs of at most 10,000 blocks at once', async () => {
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

  it('follow a transaction until it has three confirmations', async () => {
    const { url } = await start(await temporaryFolder(), { confirmations: 3 });
    const { reader } = viemClients(url);
    const hash = await sent(url, await transfer(alice, 0));
    await reader.waitForTransactionReceipt({ hash, confirmations: 3 });
    expect((await tipOf(url)).number).toBe('0x3');
  });

  it('stop then, continue after a restart, and are never mined without need', async () => {
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
