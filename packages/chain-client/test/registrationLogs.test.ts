// Reads the registry's event log in spans that nodes accept.

import { contentRegistryAbi } from '@provenance-registry/contract';
import { startDevelopmentChain } from '@provenance-registry/dev-chain';
import { createWalletClient, custom, type Hex, numberToHex } from 'viem';
import { hardhat } from 'viem/chains';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RegistryChain, startRegistryChain, toBytes32 } from '../../../test/support/registryChain.js';
import { temporaryFolder } from '../../../test/support/service.js';
import { admin, registrar } from '../../../test/support/wallets.js';
import { deployRegistry, registryAddressOf } from '../../server/src/chain/registryContract.js';
import {
  createJsonRpcClient,
  findRegistrationLog,
  type JsonRpcClient,
  readEntry,
  readRegistrationLogs,
} from '../src/index.js';

const LENGTH = 25_000n;

let chain: RegistryChain;
/** Oldest first. */
const registered: { fingerprint: Hex; transactionHash: Hex }[] = [];

/** Registrations far apart, on a chain that is longer than a node searches at once. */
beforeAll(async () => {
  chain = await startRegistryChain();
  for (let number = 1; number <= 5; number += 1) {
    const fingerprint = toBytes32(number);
    const transactionHash = await chain.registerCurated(fingerprint, `0x${String(number).padStart(32, '0')}`);
    registered.push({ fingerprint, transactionHash });
    await chain.evm.request({ method: 'hardhat_mine', params: [numberToHex(LENGTH / 5n)] });
  }
});
afterAll(() => chain.close());

async function findTransaction(node: JsonRpcClient, registry: Hex, fingerprint: Hex): Promise<Hex | undefined> {
  const entry = await readEntry(node, registry, fingerprint);
  return entry && (await findRegistrationLog(node, registry, fingerprint, entry))?.transactionHash;
}

async function read(from: bigint, to: bigint, fingerprint?: Hex) {
  const found = [];
  const range = { from, to, ...(fingerprint !== undefined && { fingerprint }) };
  for await (const one of readRegistrationLogs(chain.reader, chain.registry, range)) found.push(one);
  return found;
}

/** The node refuses wider spans, and the first requests whatever their span. Returns the spans that it receives. */
function refuseWiderThan(limit: number, refusals = 0): number[] {
  const spans: number[] = [];
  chain.misbehave(async (response, [call], honest) => {
    const filter = JSON.parse(JSON.stringify(call?.params[0]));
    const width = Number(filter.toBlock) - Number(filter.fromBlock) + 1;
    spans.push(width);
    const refusal = { id: call?.id, error: { code: -32_005, message: 'query returned more than you want to know' } };
    response.end(JSON.stringify(width > limit || spans.length <= refusals ? refusal : await honest()));
  });
  return spans;
}

it.each([10_000, 3_000, 300, 7])('The whole log is read from a node that searches %i blocks at once', async (limit) => {
  const spans = refuseWiderThan(limit);
  const to = limit < 100 ? 500n : LENGTH;
  const found = await read(0n, to);
  const expected = limit < 100 ? registered.slice(0, 1) : registered;
  expect(found.map(({ fingerprint, transactionHash }) => ({ fingerprint, transactionHash }))).toEqual(expected);
  expect(Math.max(...spans)).toBeLessThanOrEqual(10_000);
});

it('No span exceeds 10,000 blocks, even after the node has stopped refusing', async () => {
  const spans = refuseWiderThan(Number.POSITIVE_INFINITY, 5);
  expect(await read(0n, 3n * LENGTH)).toHaveLength(registered.length);
  expect(spans.slice(0, 6)).toEqual([10_000, 5_000, 2_500, 1_250, 625, 312]);
  expect(Math.max(...spans)).toBe(10_000);
});

it('Reading fails when the node refuses even one block', async () => {
  const spans = refuseWiderThan(0);
  await expect(read(0n, LENGTH)).rejects.toThrow('more than you want to know');
  expect(spans.at(-1)).toBe(1);
  expect(spans.length).toBeLessThan(20);
});

it('An unavailable node is not asked for a shorter span', async () => {
  let requests = 0;
  chain.misbehave((response) => {
    requests += 1;
    response.destroy();
  });
  await expect(read(0n, LENGTH)).rejects.toThrow('cannot be reached');
  expect(requests).toBe(1);
});

it('A response that is too large leads to a shorter span', async () => {
  chain.misbehave(async (response, [call], honest) => {
    const { fromBlock, toBlock } = JSON.parse(JSON.stringify(call?.params[0]));
    response.end(
      Number(toBlock) - Number(fromBlock) > 4_000 ? ' '.repeat(9 * 2 ** 20) : JSON.stringify(await honest()),
    );
  });
  expect((await read(0n, LENGTH)).map(({ fingerprint }) => fingerprint)).toEqual(
    registered.map(({ fingerprint }) => fingerprint),
  );
});

it('The registration of an entry is found wherever it is in the chain', async () => {
  chain.misbehave(undefined);
  for (const { fingerprint, transactionHash } of registered) {
    expect(await findTransaction(chain.reader, chain.registry, fingerprint)).toBe(transactionHash);
  }
  expect(await readEntry(chain.reader, chain.registry, toBytes32(99))).toBeUndefined();
  const entry = { source: 'curated', timestamp: 0 } as const;
  expect(await findRegistrationLog(chain.reader, chain.registry, toBytes32(99), entry)).toBeUndefined();
});

it('The log of one fingerprint contains no others', async () => {
  chain.misbehave(undefined);
  expect((await read(0n, LENGTH, toBytes32(3))).map(({ fingerprint }) => fingerprint)).toEqual([toBytes32(3)]);
});

it('The development chain, which refuses wide spans, is read as well', async () => {
  const { url, close } = await startDevelopmentChain({
    folder: await temporaryFolder(),
    port: 0,
    funded: [admin.address, registrar.address],
    confirmations: 1,
    onFault: (reason) => {
      throw reason;
    },
  });
  try {
    const node = createJsonRpcClient({ url });
    await deployRegistry(node, { admin, registrar: registrar.address, endpoints: ['https://registry.example.com'] });
    const writer = createWalletClient({ account: registrar, chain: hardhat, transport: custom(node) });
    const hash = await writer.writeContract({
      address: registryAddressOf(admin),
      abi: contentRegistryAbi,
      functionName: 'registerManifest',
      args: [toBytes32(1), `0x${'11'.repeat(16)}`, toBytes32(2), toBytes32(3)],
    });
    // It counts the blocks of the range, not those that exist.
    const to = LENGTH;
    const range = { fromBlock: '0x0', toBlock: numberToHex(to) };
    await expect(node.request({ method: 'eth_getLogs', params: [range] })).rejects.toThrow('ask for a part of it');
    expect(await findTransaction(node, registryAddressOf(admin), toBytes32(1))).toBe(hash);
    const found = [];
    for await (const one of readRegistrationLogs(node, registryAddressOf(admin), { from: 0n, to }))
      found.push(one.transactionHash);
    expect(found).toEqual([hash]);
  } finally {
    await close();
  }
});
