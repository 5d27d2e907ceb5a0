// One submitter per key writes to the chain, while other submitters wait and Artifacts are created.

import { privateKeyToAccount } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { newPrivateKey } from '../../../../test/support/wallets.js';
import { LeaseLostError } from '../../src/domain/ports/index.js';
import { expectConsistentRegistrations } from '../support/registrations.js';
import { hasLogged, openSubmitterSetup, type SubmitterSetup, waitUntilIdle } from '../support/submitters.js';

let world: SubmitterSetup;
beforeEach(async () => {
  world = await openSubmitterSetup();
});
afterEach(() => world.close());

describe('one writer for a key', () => {
  it('lets one of two submitters write, and the other take over when the first ends', async () => {
    const { outbox, chain, queue } = world;
    const holders = new Set<string>();
    const assigning = Object.assign(Object.create(queue), {
      assign: (...args: Parameters<typeof queue.assign>) => {
        holders.add(args[0].holder);
        return queue.assign(...args);
      },
    });
    const submitters = [world.start({ queue: assigning }), world.start({ queue: assigning })];
    for (let round = 0; round < 5; round += 1) {
      await outbox.add(5);
      await outbox.untilAll('submitted');
    }
    expect(holders.size).toBe(1);
    await Promise.all([submitters[0]?.stop(), outbox.add(300)]);
    await outbox.untilAll('submitted');
    await submitters[1]?.stop();
    world.start({ queue: assigning });
    await outbox.add(1);
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
  });

  it('records nothing, and sends nothing, once another has the lease', async () => {
    const { outbox, chain, queue } = world;
    const stolen = Object.assign(Object.create(queue), {
      assign: async (...args: Parameters<typeof queue.assign>) => {
        await outbox.query(`update leases set holder = '2 another', expires_at = now() + interval '1 hour'`);
        return queue.assign(...args);
      },
    });
    await outbox.add(3);
    const robbed = world.start({ queue: stolen });
    await waitUntil(() => hasLogged(world, 'will be retried'), 'it has lost the lease');
    expect(await outbox.query('select 1 from chain_transactions')).toEqual([]);
    expect(chain.node.calls.get('eth_sendRawTransaction')).toBeUndefined();
    // Otherwise it could be the first to get the lease, and would lose it again.
    await robbed.stop();
    await outbox.query('delete from leases');
    world.start();
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
  });

  it('changes nothing without the lease', async () => {
    const { outbox, queue } = world;
    const [artifact] = await outbox.add(1);
    const lease = { name: 'chain', holder: 'one', ms: 60_000 };
    expect(await queue.acquireLease(lease)).toBe(true);
    const other = { ...lease, holder: 'other' };
    expect(await queue.acquireLease(other)).toBe(false);
    const failed = [{ artifactId: artifact?.id ?? '', reason: 'no' }];
    await expect(queue.settle(other, { failed })).rejects.toThrow(LeaseLostError);
    expect(await outbox.countByStatus()).toEqual({ pending: 1 });
    await queue.releaseLease(lease);
    await expect(queue.settle(lease, { failed })).rejects.toThrow(LeaseLostError);
    expect(await queue.acquireLease(other)).toBe(true);
  });

  it('keeps writing, alone, when its node is slower than the lease', async () => {
    const { outbox, chain } = world;
    await outbox.add(3);
    world.start({ times: { leaseMs: 1 } });
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
  });

  it('lets two keys write for one database without registering anything twice', async () => {
    const { outbox, chain } = world;
    const second = privateKeyToAccount(newPrivateKey());
    await chain.request('hardhat_setBalance', second.address, '0x8ac7230489e80000');
    await chain.setRegistrar(true, second.address);
    await outbox.add(500);
    world.start();
    world.start({ account: second });
    await outbox.untilAll('submitted');
    await waitUntilIdle(world);
    await expectConsistentRegistrations(outbox, chain);
  });
});

describe('while Artifacts are created', () => {
  it('does not deadlock with a creation that holds the counter and waits for the fingerprint', async () => {
    const { outbox, queue } = world;
    const [artifact] = await outbox.add(1);
    if (!artifact) throw new Error('no Artifact');
    const lease = { name: 'chain', holder: 'one', ms: 60_000 };
    await queue.acquireLease(lease);
    await outbox.query('begin');
    await outbox.query('update counters set lifetime_artifacts = lifetime_artifacts + 1');
    const settling = queue.settle(lease, { failed: [{ artifactId: artifact.id, reason: 'no' }] });
    await waitUntil(async () => (await outbox.waitingForLocks()) === 1, 'the submitter waits for the counter');
    await expect(outbox.add(1, { fingerprint: artifact.fingerprint })).rejects.toThrow('artifacts_by_fingerprint');
    await outbox.query('rollback');
    await settling;
    expect(await outbox.countByStatus()).toEqual({ failed: 1 });
  });
});
