// Reading the registry's log, in pieces that nodes accept.

import { connectToNode } from '@provenance-registry/chain-client';
import { contentRegistryAbi } from '@provenance-registry/contract';
import { startDevelopmentChain } from '@provenance-registry/dev-chain';
import { createWalletClient, custom, type Hex, numberToHex } from 'viem';
import { hardhat } from 'viem/chains';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/service.js';
import { admin, registrar } from '../../../../test/support/wallets.js';
import { findTransactionHash, readRegistrations } from '../../src/chain/logs.js';
import { provideRegistry, registryOf } from '../../src/chain/registryContract.js';
import { type RegistryChain, startRegistryChain, toBytes32 } from '../support/registryChain.js';

const LENGTH = 25_000n;

let chain: RegistryChain;
/** In the order of their coming. */
const registered: { fingerprint: Hex; transactionHash: Hex }[] = [];

/** Registrations far from each other, on a chain that is longer than a node looks through at once. */
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

async function read(from: bigint, to: bigint, fingerprint?: Hex) {
  const found = [];
  const range = { from, to, ...(fingerprint !== undefined && { fingerprint }) };
  for await (const one of readRegistrations(chain.reader, chain.registry, range)) found.push(one);
  return found;
}

/** The widths that a node is asked for which refuses what is wider than this, and anything at first, so many times. */
function refuseWiderThan(limit: number, atFirst = 0): number[] {
  const asked: number[] = [];
  chain.misbehave(async (response, [call], honest) => {
    const filter = JSON.parse(JSON.stringify(call?.params[0]));
    const width = Number(filter.toBlock) - Number(filter.fromBlock) + 1;
    asked.push(width);
    const refusal = { id: call?.id, error: { code: -32_005, message: 'query returned more than you want to know' } };
    response.end(JSON.stringify(width > limit || asked.length <= atFirst ? refusal : await honest()));
  });
  return asked;
}

it.each([10_000, 3_000, 300, 7])(
  'A log is read whole from a node that looks through %i blocks at once',
  async (limit) => {
    const asked = refuseWiderThan(limit);
    const to = limit < 100 ? 500n : LENGTH;
    const found = await read(0n, to);
    const expected = limit < 100 ? registered.slice(0, 1) : registered;
    expect(found.map(({ fingerprint, transactionHash }) => ({ fingerprint, transactionHash }))).toEqual(expected);
    expect(Math.max(...asked)).toBeLessThanOrEqual(10_000);
  },
);

it('A node that is in a better mood later is still not asked for more than 10,000 blocks', async () => {
  const asked = refuseWiderThan(Number.POSITIVE_INFINITY, 5);
  expect(await read(0n, 3n * LENGTH)).toHaveLength(registered.length);
  expect(asked.slice(0, 6)).toEqual([10_000, 5_000, 2_500, 1_250, 625, 312]);
  expect(Math.max(...asked)).toBe(10_000);
});

it('A node that refuses even one block is given up', async () => {
  const asked = refuseWiderThan(0);
  await expect(read(0n, LENGTH)).rejects.toThrow('more than you want to know');
  expect(asked.at(-1)).toBe(1);
  expect(asked.length).toBeLessThan(20);
});

it('A node that is away is not asked for less', async () => {
  let requests = 0;
  chain.misbehave((response) => {
    requests += 1;
    response.destroy();
  });
  await expect(read(0n, LENGTH)).rejects.toThrow('cannot be reached');
  expect(requests).toBe(1);
});

it('A node that has more to say than can be heard is asked for less', async () => {
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

it('The transaction of a registration is found by its fingerprint, wherever it is', async () => {
  chain.misbehave(undefined);
  for (const { fingerprint, transactionHash } of registered) {
    expect(await findTransactionHash(chain.reader, chain.registry, fingerprint)).toBe(transactionHash);
  }
  await expect(findTransactionHash(chain.reader, chain.registry, toBytes32(99))).rejects.toThrow('ManifestNotFound');
});

it('A log of nothing but one fingerprint has nothing else', async () => {
  chain.misbehave(undefined);
  expect((await read(0n, LENGTH, toBytes32(3))).map(({ fingerprint }) => fingerprint)).toEqual([toBytes32(3)]);
});

it('The development chain, which refuses wide ranges, is read as well', async () => {
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
    const node = connectToNode({ url });
    await provideRegistry(node, { admin, registrar: registrar.address, endpoints: ['https://registry.example.com'] });
    const writer = createWalletClient({ account: registrar, chain: hardhat, transport: custom(node) });
    const hash = await writer.writeContract({
      address: registryOf(admin),
      abi: contentRegistryAbi,
      functionName: 'registerManifest',
      args: [toBytes32(1), `0x${'11'.repeat(16)}`, toBytes32(2), toBytes32(3)],
    });
    // It counts the blocks that are asked for, not those that are there.
    const to = LENGTH;
    await expect(node.getLogs({ fromBlock: 0n, toBlock: to })).rejects.toThrow('ask for a part of it');
    expect(await findTransactionHash(node, registryOf(admin), toBytes32(1))).toBe(hash);
    const found = [];
    for await (const one of readRegistrations(node, registryOf(admin), { from: 0n, to }))
      found.push(one.transactionHash);
    expect(found).toEqual([hash]);
  } finally {
    await close();
  }
});
