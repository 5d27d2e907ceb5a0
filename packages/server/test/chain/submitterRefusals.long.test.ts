// What the submitter does when the chain will not have a registration, or has had it already, or takes it back.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { randomUUID } from '../../../../test/support/random.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import type { Submitter, SubmitterOptions } from '../../src/chain/submitter/submitter.js';
import { encodeRegistrations, expectConsistentRegistrations, readRegistrations } from '../support/registrations.js';
import {
  hasLogged,
  openSubmitterSetup,
  type SubmitterSetup,
  skipRetryDelay,
  waitUntilIdle,
  waitUntilRetried,
} from '../support/submitters.js';

const onceOnly = { attempts: 2, ms: 0 };

let world: SubmitterSetup;
beforeEach(async () => {
  world = await openSubmitterSetup();
});
afterEach(() => world.close());

/** Every registration, so many times at least. */
async function untilTried(times: number, what: string): Promise<void> {
  const isTried = async () => {
    const [row] = await world.outbox.query<{ attempts: number }>('select min(attempts) as attempts from outbox');
    return (row?.attempts ?? 0) >= times;
  };
  await waitUntilRetried(world, isTried, what);
}

/** Transactions that the contract allowed when they were written down are mined when it is paused. */
async function pauseBeforeMining(retry?: SubmitterOptions['retry']): Promise<Submitter> {
  const { outbox, chain } = world;
  chain.mining.atOnce = false;
  const first = world.start();
  await outbox.untilAll('submitting');
  await first.stop();
  await chain.emptyPool();
  await chain.administrate('pause');
  chain.mining.atOnce = true;
  return world.start(retry ? { retry } : {});
}

describe('when the contract refuses', () => {
  it('fails nothing while the contract is paused and retries are left, and continues when it is unpaused', async () => {
    const { outbox, chain } = world;
    await chain.administrate('pause');
    await outbox.add(5);
    world.start({ retry: { attempts: 2, ms: 3_600_000 } });
    await untilTried(4, 'it was refused four times');
    expect(await outbox.countByStatus()).toEqual({ pending: 5 });
    await chain.administrate('unpause');
    await skipRetryDelay(world);
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
  });

  it('fails them with a reason when no retries are left, and releases fingerprint and quota', async () => {
    const { outbox, chain } = world;
    await chain.administrate('pause');
    const artifacts = await outbox.add(3);
    const yesterday = new Date(Date.now() - 24 * 3_600_000);
    await outbox.add(2, { createdAt: yesterday });
    const copies = await outbox.add(2, { renditionOf: artifacts[1] });
    await outbox.query('update counters set daily_artifacts = 3');
    world.start({ retry: onceOnly });
    await waitUntilRetried(world, async () => (await outbox.countByStatus())['failed'] === 7, 'all have failed');
    expect(await outbox.counters()).toEqual({ lifetime: 0, daily: 0, ofMark: 0 });
    for (const { error_reason: reason, rendition_of: original } of await outbox.rows()) {
      expect(reason).toBe(
        original === null
          ? 'Not registered on chain: the registry contract refused it (EnforcedPause).'
          : 'The Artifact of this signed copy was not registered on chain.',
      );
    }
    expect(await outbox.query('select 1 from outbox')).toEqual([]);
    await chain.administrate('unpause');
    for (const { fingerprint } of [artifacts[0], copies[0]].filter((one) => one !== undefined)) {
      await outbox.add(1, { fingerprint });
    }
    await waitUntil(async () => (await outbox.countByStatus())['submitted'] === 2, 'the new ones are submitted');
    expect(await outbox.counters()).toEqual({ lifetime: 2, daily: 2, ofMark: 2 });
    await expectConsistentRegistrations(outbox, chain);
  });

  it('releases the quota of an earlier day, and none of today', async () => {
    const { outbox, chain } = world;
    await chain.administrate('pause');
    await outbox.add(2, { createdAt: new Date(Date.now() - 24 * 3_600_000) });
    await outbox.query('update counters set daily_artifacts = 4, lifetime_artifacts = 6');
    world.start({ retry: onceOnly });
    await waitUntilRetried(world, async () => (await outbox.countByStatus())['failed'] === 2, 'both have failed');
    expect(await outbox.counters()).toEqual({ lifetime: 4, daily: 4, ofMark: 0 });
  });

  it('waits while the key may not write, and continues when it may again', async () => {
    const { outbox, chain } = world;
    await chain.setRegistrar(false);
    await outbox.add(3);
    world.start({ retry: { attempts: 1, ms: 3_600_000 } });
    await waitUntil(() => hasLogged(world, 'not registered'), 'it was refused');
    expect(
      world.logged.some(({ details }) => JSON.stringify(details).includes('AccessControlUnauthorizedAccount')),
    ).toBe(true);
    await chain.setRegistrar(true);
    await skipRetryDelay(world);
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
  });

  it('spends no gas on isolating one refused registration among many', async () => {
    const { outbox, chain } = world;
    await outbox.add(120);
    await outbox.add(1, { fingerprint: `0x${'00'.repeat(32)}` });
    await outbox.add(120);
    const submitter = world.start({ retry: onceOnly });
    await waitUntilRetried(
      world,
      async () => (await outbox.countByStatus())['submitted'] === 240,
      'the others are submitted',
    );
    expect(submitter.report().transactions).toMatchObject({ reverted: 0 });
    await expectConsistentRegistrations(outbox, chain);
  });

  it('delays no Artifact because of another that the contract refuses', async () => {
    const { outbox, chain } = world;
    await outbox.add(6);
    await outbox.add(1, { fingerprint: `0x${'00'.repeat(32)}` });
    await outbox.add(6);
    world.start({ retry: onceOnly });
    await waitUntilRetried(
      world,
      async () => (await outbox.countByStatus())['submitted'] === 12,
      'the others are submitted',
    );
    await waitUntilRetried(world, async () => (await outbox.countByStatus())['failed'] === 1, 'it has failed');
    await expectConsistentRegistrations(outbox, chain);
    const reasons = (await outbox.rows()).flatMap(({ error_reason: reason }) => (reason ? [reason] : []));
    expect(reasons).toEqual(['Not registered on chain: the registry contract refused it (ZeroFingerprint).']);
  });

  it('retries what was reverted when it was mined', async () => {
    const { outbox, chain } = world;
    await outbox.add(3);
    const submitter = await pauseBeforeMining();
    await waitUntil(() => submitter.report().transactions.reverted === 1, 'the transaction was reverted');
    expect(await outbox.countByStatus()).toEqual({ submitting: 3 });
    await chain.administrate('unpause');
    await waitUntilRetried(world, async () => (await outbox.countByStatus())['submitted'] === 3, 'all are submitted');
    await expectConsistentRegistrations(outbox, chain);
  });

  it('fails what was reverted when no retries are left', async () => {
    const { outbox, chain } = world;
    await outbox.add(3);
    await pauseBeforeMining({ attempts: 1, ms: 0 });
    await outbox.untilAll('failed');
    await expectConsistentRegistrations(outbox, chain);
    expect(await readRegistrations(chain)).toEqual([]);
  });
});

describe('when a fingerprint is on chain already', () => {
  it('stores the transaction that registered it under its own id', async () => {
    const { outbox, chain } = world;
    const artifacts = await outbox.add(4);
    const hash = await chain.sendUnknownTransaction(0, chain.registry, encodeRegistrations(artifacts.slice(0, 3)));
    await chain.mine(3);
    world.start();
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
    const hashes = (await outbox.rows()).map((row) => row.transaction_hash);
    expect(hashes.filter((one) => one === hash).length).toBe(3);
  });

  it('stores that transaction for one in the middle of a full batch, too', async () => {
    const { outbox, chain } = world;
    const artifacts = await outbox.add(400);
    const hash = await chain.sendUnknownTransaction(0, chain.registry, encodeRegistrations(artifacts.slice(150, 153)));
    await chain.mine(3);
    world.start();
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
    const hashes = (await outbox.rows()).map((row) => row.transaction_hash);
    expect(hashes.filter((one) => one === hash).length).toBe(3);
    expect(new Set(hashes).size).toBe(3);
  });

  it('accepts it when it is confirmed, not before', async () => {
    const { outbox, chain } = world;
    const artifacts = await outbox.add(2);
    await chain.sendUnknownTransaction(0, chain.registry, encodeRegistrations(artifacts));
    world.start({ confirmations: 3 });
    await untilTried(2, 'it has looked twice');
    expect(await outbox.countByStatus()).toEqual({ pending: 2 });
    await chain.mine(2);
    await waitUntilRetried(world, async () => (await outbox.countByStatus())['submitted'] === 2, 'both are submitted');
    await expectConsistentRegistrations(outbox, chain);
  });

  it('registers it again when a reorganization removes that transaction', async () => {
    const { outbox, chain } = world;
    const artifacts = await outbox.add(2);
    await chain.sendUnknownTransaction(0, chain.registry, encodeRegistrations(artifacts));
    world.start();
    await outbox.untilAll('submitted');
    await chain.reorganize(1);
    expect(await readRegistrations(chain)).toEqual([]);
    await waitUntilRetried(world, async () => (await readRegistrations(chain)).length === 2, 'both are on chain again');
    await waitUntil(
      async () => (await outbox.query('select 1 from chain_transactions where block_number is not null')).length === 1,
      'the new transaction is confirmed',
    );
    await expectConsistentRegistrations(outbox, chain);
  });

  it('stops watching it when no reorganization can reach it', async () => {
    const { outbox, chain } = world;
    const artifacts = await outbox.add(2);
    await chain.sendUnknownTransaction(0, chain.registry, encodeRegistrations(artifacts));
    world.start();
    await outbox.untilAll('submitted');
    expect((await outbox.query('select 1 from outbox')).length).toBe(2);
    await chain.mine(70);
    await waitUntilRetried(
      world,
      async () => (await outbox.query('select 1 from outbox')).length === 0,
      'nothing is left to do',
    );
    await expectConsistentRegistrations(outbox, chain);
  });

  it('fails it when the contract has the fingerprint under another id', async () => {
    const { outbox, chain } = world;
    const [artifact, ...others] = await outbox.add(3);
    if (!artifact) throw new Error('no Artifact');
    await chain.sendUnknownTransaction(0, chain.registry, encodeRegistrations([{ ...artifact, id: randomUUID() }]));
    world.start();
    await outbox.untilAll('submitted', others);
    await outbox.untilAll('failed', [artifact]);
    const row = (await outbox.rows()).find(({ id }) => id === artifact.id);
    expect(row?.error_reason).toBe('The registry contract has this fingerprint under another id.');
    expect(await outbox.counters()).toEqual({ lifetime: 2, daily: 2, ofMark: 2 });
    // A signed copy fails alone, and counts nowhere.
    const [copy] = await outbox.add(1, { renditionOf: others[0], fingerprint: artifact.fingerprint });
    await outbox.untilAll('failed', copy ? [copy] : []);
    expect(await outbox.counters()).toEqual({ lifetime: 2, daily: 2, ofMark: 2 });
    expect((await readRegistrations(chain)).length).toBe(3);
    await expectConsistentRegistrations(outbox, chain);
  });

  it('stores the transaction that was mined after all, although its nonce was given up', async () => {
    const { outbox, chain } = world;
    chain.mining.atOnce = false;
    const artifacts = await outbox.add(2);
    world.start();
    await outbox.untilAll('submitting');
    const hash = await chain.sendUnknownTransaction(0, chain.registry, encodeRegistrations(artifacts));
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
    for (const row of await outbox.rows()) expect(row.transaction_hash).toBe(hash);
  });

  it('fails what lost its nonce only when no retries are left and the contract does not have it', async () => {
    const { outbox, chain } = world;
    chain.mining.atOnce = false;
    const [landed, displaced] = await outbox.add(2);
    if (!landed || !displaced) throw new Error('no Artifacts');
    world.start({ retry: { attempts: 1, ms: 0 } });
    await outbox.untilAll('submitting');
    await chain.sendUnknownTransaction(0, chain.registry, encodeRegistrations([landed]));
    await outbox.untilAll('submitted', [landed]);
    await outbox.untilAll('failed', [displaced]);
    await expectConsistentRegistrations(outbox, chain);
  });
});

describe('when a reorganization removes blocks', () => {
  for (const depth of [1, 2]) {
    it(`registers Artifacts of ${depth} removed blocks again, without changing their status`, async () => {
      const { outbox, chain } = world;
      for (let round = 0; round < depth; round += 1) {
        await outbox.add(3);
        world.start();
        await outbox.untilAll('submitted');
      }
      await chain.reorganize(depth);
      expect(await readRegistrations(chain)).toEqual([]);
      await waitUntil(async () => (await readRegistrations(chain)).length === 3 * depth, 'all are on chain again');
      await waitUntilIdle(world);
      await expectConsistentRegistrations(outbox, chain);
      expect(hasLogged(world, 'reorganization')).toBe(true);
    });
  }

  it('stores another transaction when that one is mined after a reorganization', async () => {
    const { outbox, chain } = world;
    chain.mining.atOnce = false;
    await outbox.add(2);
    const submitter = world.start({ times: { stuckMs: 50 } });
    await waitUntil(() => submitter.report().transactions.replaced > 0, 'it was replaced');
    await chain.mine();
    await outbox.untilAll('submitted');
    const before = (await outbox.rows())[0]?.transaction_hash;
    await chain.reorganize(1);
    await waitUntil(() => submitter.report().transactions.reorganised === 1, 'the reorganisation was noticed');
    const replaced = submitter.report().transactions.replaced;
    await waitUntil(() => submitter.report().transactions.replaced > replaced + 1, 'it was replaced again');
    await chain.mine();
    await waitUntilIdle(world);
    expect((await outbox.rows())[0]?.transaction_hash).not.toBe(before);
    await expectConsistentRegistrations(outbox, chain);
  });

  it('notices a reorganization that happened while no submitter ran', async () => {
    const { outbox, chain } = world;
    await outbox.add(3);
    const first = world.start();
    await outbox.untilAll('submitted');
    await first.stop();
    await chain.reorganize(1);
    await outbox.add(1);
    world.start();
    await waitUntil(async () => (await readRegistrations(chain)).length === 4, 'all are on chain');
    await outbox.untilAll('submitted');
    await waitUntilIdle(world);
    await expectConsistentRegistrations(outbox, chain);
  });

  it('registers again what a foreign transaction replaced in a reorganization', async () => {
    const { outbox, chain } = world;
    await outbox.add(3);
    const first = world.start();
    await outbox.untilAll('submitted');
    await first.stop();
    await chain.reorganize(1);
    await chain.sendUnknownTransaction(0, chain.writer.address);
    world.start({ retry: { attempts: 1, ms: 0 } });
    await waitUntilRetried(world, async () => (await readRegistrations(chain)).length === 3, 'all are on chain again');
    await waitUntilIdle(world);
    await expectConsistentRegistrations(outbox, chain);
  });

  it('stops watching when no reorganization can reach a transaction any more', async () => {
    const { outbox, chain } = world;
    await outbox.add(3);
    world.start();
    await outbox.untilAll('submitted');
    await chain.mine(70);
    await waitUntil(
      async () => (await outbox.query('select 1 from chain_transactions')).length === 0,
      'it is forgotten',
    );
    expect(await outbox.query('select 1 from outbox')).toEqual([]);
    await expectConsistentRegistrations(outbox, chain);
  });
});
