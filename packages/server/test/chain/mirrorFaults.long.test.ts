// A mirror whose node misbehaves, and one whose process dies: it never confirms what the contract does not say, and is
// right again as soon as the node is.

import { JsonRpcError } from '@provenance-registry/chain-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { LeaseLostError } from '../../src/domain/ports/index.js';
import type { FaultyNode } from '../support/faultyNode.js';
import { killMirrorAt, type MirrorSetup, newFingerprint, openMirrorSetup } from '../support/mirrors.js';

let world: MirrorSetup;
beforeEach(async () => {
  world = await openMirrorSetup();
});
afterEach(() => world.close());

interface Log {
  readonly topics: readonly string[];
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly logIndex: string;
}
type Lie = FaultyNode['tamper'];

const changeLogs =
  (change: (logs: readonly Log[]) => unknown): Lie =>
  (method, result) =>
    method === 'eth_getLogs' ? change(result as Log[]) : result;
const changeBlocks =
  (change: (block: { number: string; timestamp: string }, isHead: boolean) => unknown): Lie =>
  (method, result, [block]) =>
    method === 'eth_getBlockByNumber' && result !== null
      ? change(result as { number: string; timestamp: string }, block === 'latest')
      : result;
const shift = (quantity: string, by: number) => `0x${(Number(quantity) + by).toString(16)}`;
/** The third topic of a public registration is an address, with zeros before it. */
const isCurated = ({ topics }: Log) => topics.length !== 3 || topics[2]?.startsWith('0x000000000000') === false;

const otherHash = newFingerprint();
const refused: [string, Lie][] = [
  ['leaves out one of the two logs of a registration', changeLogs((logs) => logs.slice(1))],
  ['returns logs of other blocks', changeLogs((logs) => logs.map((log) => ({ ...log, blockNumber: '0x1' })))],
  [
    'returns logs of blocks with other hashes',
    changeLogs((logs) => logs.map((log) => ({ ...log, blockHash: otherHash }))),
  ],
  [
    'returns logs of other contracts',
    changeLogs((logs) => logs.map((log) => ({ ...log, address: `0x${'11'.repeat(20)}` }))),
  ],
  ['returns other events', changeLogs((logs) => logs.map((log) => ({ ...log, topics: [newFingerprint()] })))],
  ['returns two different logs at one position', changeLogs((logs) => [...logs, { ...logs[0], data: '0x' }])],
  ['returns logs that are removed', changeLogs((logs) => logs.map((log) => ({ ...log, removed: true })))],
  ['returns logs without content', changeLogs((logs) => logs.map((log) => ({ ...log, data: '0x' })))],
  ['returns something else', changeLogs(() => ({ logs: [] }))],
  [
    'shows a newest block that does not exist',
    changeBlocks((block, isHead) => (isHead ? { ...block, number: shift(block.number, 9) } : block)),
  ],
  [
    'lies about the numbers of blocks',
    changeBlocks((block, isHead) => (isHead ? block : { ...block, number: shift(block.number, 1) })),
  ],
  ['lies about times', changeBlocks((block) => ({ ...block, timestamp: shift('0x7fffffff', -Number(block.number)) }))],
];

describe('A node that', () => {
  async function addBlocks(): Promise<void> {
    await world.registerCurated(2);
    await world.registerPublic();
    await world.registerCurated(1);
  }

  it.each(refused)('%s is not believed', async (_, lie) => {
    await addBlocks();
    const mirror = world.start();
    await world.expectMirrored();
    await mirror.stop();
    const before = await world.rows();
    await addBlocks();
    world.chain.node.tamper = lie;
    world.start();
    await waitUntil(() => world.logged.some(({ message }) => message.includes('will be retried')), 'it is refused');
    expect(await world.rows()).toEqual(before);
    world.chain.node.tamper = (_method, result) => result;
    await world.expectMirrored();
  });

  it('repeats and shuffles logs is understood', async () => {
    world.chain.node.tamper = changeLogs((logs) => [...logs, ...logs].toReversed());
    world.start();
    await addBlocks();
    await world.expectMirrored();
  });

  it('leaves out curated registrations is noticed by their number', async () => {
    world.chain.node.tamper = changeLogs((logs) => logs.filter((log) => !isCurated(log)));
    world.start();
    await addBlocks();
    await waitUntil(() => world.logged.some(({ message }) => message.includes('numbers')), 'it is noticed');
    expect(await world.progress()).toMatchObject({ isFresh: false, checkedAt: null });
    world.chain.node.tamper = (_method, result) => result;
    await world.expectMirrored();
  });

  it('invents curated registrations is noticed by their number', async () => {
    const invented = newFingerprint();
    const invent = ({ topics: [topic, , ...rest], logIndex, ...log }: Log) => ({
      ...log,
      topics: [topic, invented, ...rest],
      logIndex: shift(logIndex, 100),
    });
    await addBlocks();
    world.chain.node.tamper = changeLogs((logs) => [...logs, ...logs.slice(-2).map(invent)]);
    world.start();
    await waitUntil(() => world.logged.some(({ message }) => message.includes('numbers')), 'it is noticed');
    expect((await world.progress())?.isFresh).toBe(false);
    world.chain.node.tamper = (_method, result) => result;
    await world.expectMirrored();
    expect((await world.rows()).map(({ fingerprint }) => fingerprint)).not.toContain(invented);
  });

  it('indexes public registrations late is read again', async () => {
    await addBlocks();
    world.chain.node.tamper = changeLogs((logs) => logs.filter(isCurated));
    world.start();
    await waitUntil(async () => (await world.progress())?.isFresh === true, 'the rest is mirrored');
    expect((await world.rows()).map(({ source }) => source)).not.toContain(2);
    world.chain.node.tamper = (_method, result) => result;
    await world.chain.mine();
    await world.expectMirrored();
  });

  it('refuses to search many blocks is asked for fewer', async () => {
    for (let blocks = 0; blocks < 10; blocks += 1) await world.registerCurated(1);
    const spans: number[] = [];
    world.chain.node.tamper = (method, result, [filter]) => {
      if (method !== 'eth_getLogs') return result;
      const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string };
      spans.push(Number(toBlock) - Number(fromBlock) + 1);
      if (Number(toBlock) - Number(fromBlock) >= 3) throw new JsonRpcError(-32_005, 'query returned too many results');
      return result;
    };
    world.start({ isIndexedLate: false });
    await world.expectMirrored();
    expect(Math.max(...spans)).toBeGreaterThan(3);
  });

  it('is behind is not followed until it stays so', async () => {
    await addBlocks();
    const mirror = world.start();
    await world.expectMirrored();
    const before = await world.rows();
    const past = await world.chain.request('eth_getBlockByNumber', '0x3', false);
    let polls = 0;
    world.chain.node.tamper = (method, result, [block]) => {
      if (method !== 'eth_getBlockByNumber' || block !== 'latest') return result;
      polls += 1;
      return past;
    };
    await waitUntil(() => polls > 5, 'it has been asked some times');
    expect(await world.rows()).toEqual(before);
    await mirror.stop();
    world.start({ times: { patienceMs: 0 } });
    await waitUntil(async () => (await world.progress())?.mirroredBlock === 3, 'it is followed');
    expect(await world.rows()).toHaveLength(3);
    world.chain.node.tamper = (_method, result) => result;
    await world.expectMirrored();
  });

  it('hangs and fails leaves the mirror as it is', async () => {
    await addBlocks();
    const mirror = world.start();
    await world.expectMirrored();
    await mirror.stop();
    const before = await world.rows();
    world.chain.node.faultFor = () => 'httpError';
    world.start();
    await waitUntil(() => world.logged.some(({ message }) => message.includes('will be retried')), 'it fails');
    expect(await world.rows()).toEqual(before);
    world.chain.node.faultFor = () => undefined;
    await addBlocks();
    await world.expectMirrored();
  });
});

describe('A reorganization', () => {
  it('of any depth up to 40, at any moment, leaves the entries of the new blocks', async () => {
    world.start();
    for (const [round, depth] of [1, 2, 3, 4, 5, 8, 13, 21, 32, 33, 40].entries()) {
      await world.registerCurated(2);
      await world.registerPublic();
      if (depth > 2) await world.chain.mine(depth - 2);
      if (round % 3 === 0) await world.expectMirrored();
      // In the middle of a step: while the mirror reads the head, logs, or blocks.
      let calls = 0;
      let reorganized: Promise<void> | undefined;
      world.chain.node.onCall = (_method, moment) => {
        if (moment === 'after') calls += 1;
        if (calls > round % 4) reorganized ??= world.chain.reorganize(depth);
      };
      await world.registerCurated(1);
      await waitUntil(() => reorganized !== undefined, 'the chain is reorganized');
      await reorganized;
      world.chain.node.onCall = () => {};
      await world.registerPublic();
      await world.expectMirrored();
    }
  });

  it('of many blocks is believed after a while only', async () => {
    world.start({ times: { patienceMs: 0 } });
    await world.registerCurated(2);
    for (let blocks = 0; blocks < 3; blocks += 1) {
      await world.chain.mine(40);
      await world.expectMirrored();
    }
    await world.chain.reorganize(121);
    await world.expectMirrored();
    expect(await world.rows()).toEqual([]);
  });

  it('of many blocks is not believed at once', async () => {
    world.start();
    await world.registerCurated(2);
    for (let blocks = 0; blocks < 3; blocks += 1) {
      await world.chain.mine(40);
      await world.expectMirrored();
    }
    await world.chain.reorganize(121);
    world.chain.node.calls.clear();
    await waitUntil(
      () => (world.chain.node.calls.get('eth_getBlockByNumber') ?? 0) > 50,
      'it has looked several times',
    );
    expect(await world.rows()).toHaveLength(2);
  });
});

it.each([0, 99])('A number of curated entries that is wrong in the database (%i) is corrected', async (count) => {
  await world.registerCurated(2);
  const mirror = world.start();
  await world.expectMirrored();
  await mirror.stop();
  await world.query('update chain_mirror set curated_count = $1, checked_at = null', [count]);
  await world.registerCurated(1);
  world.start();
  await world.expectMirrored();
});

describe('A process that is killed', () => {
  const steps = ['start', 'append', 'confirm', 'rollBack'] as const;
  it.each(steps.flatMap((step) => [{ step, moment: 'before' } as const, { step, moment: 'after' } as const]))(
    '$moment the step $step leaves a mirror that another one continues',
    async (dieAt) => {
      await world.registerCurated(2);
      await world.registerPublic();
      if (dieAt.step === 'rollBack') {
        const mirror = world.start();
        await world.expectMirrored();
        await mirror.stop();
        await world.chain.reorganize(2);
      }
      await killMirrorAt(world, dieAt);
      await world.registerPublic();
      world.start();
      await world.expectMirrored();
    },
  );
});

describe('Two processes', () => {
  it('take turns, and the one without the lease changes nothing', async () => {
    await world.registerCurated(1);
    const first = world.start();
    await world.expectMirrored();
    world.start();
    await world.registerPublic();
    await world.expectMirrored();
    const state = await world.store.readState({
      chainId: 31_337,
      registry: `0x${world.chain.registry.slice(2).toLowerCase()}`,
    });
    if (!state) throw new Error('there is no mirror');
    const stranger = { name: 'chain mirror', holder: 'another', ms: 1_000 };
    await expect(world.store.rollBack(stranger, state, 0n)).rejects.toThrow(LeaseLostError);
    await first.stop();
    await world.registerPublic();
    await world.expectMirrored();
  });

  it('that believe to hold the lease do not both change the mirror', async () => {
    await world.registerCurated(1);
    const mirror = world.start();
    await world.expectMirrored();
    await mirror.stop();
    const registry = { chainId: 31_337, registry: `0x${world.chain.registry.slice(2).toLowerCase()}` } as const;
    const lease = { name: 'chain mirror', holder: 'one', ms: 60_000 };
    await world.store.acquireLease(lease);
    const state = await world.store.readState(registry);
    if (!state) throw new Error('there is no mirror');
    await world.store.rollBack(lease, state, 1n);
    await expect(world.store.confirm(lease, state)).rejects.toThrow(LeaseLostError);
    expect((await world.progress())?.isFresh).toBe(false);
  });
});
