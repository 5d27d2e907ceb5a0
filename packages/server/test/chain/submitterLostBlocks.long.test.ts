// A node that loses blocks, as after a crash: nothing fails, and operators see it.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { expectConsistentRegistrations } from '../support/registrations.js';
import { hasLogged, openSubmitterSetup, type SubmitterSetup, waitUntilIdle } from '../support/submitters.js';

let world: SubmitterSetup;
beforeEach(async () => {
  world = await openSubmitterSetup();
});
afterEach(() => world.close());

async function waitForCalls(method: string, count: number): Promise<void> {
  const { calls } = world.chain.node;
  const before = calls.get(method) ?? 0;
  await waitUntil(() => (calls.get(method) ?? 0) >= before + count, `${count} more calls of ${method}`);
}

it('Blocks that are lost while the submitter reads head and nonce cause no error', async () => {
  const { outbox, chain } = world;
  const snapshot = await chain.request('evm_snapshot');
  await outbox.add(2);
  const submitter = world.start();
  await outbox.untilAll('submitted');
  // The submitter has checked the confirmed transaction against this head.
  await waitForCalls('eth_getBlockByNumber', 3);
  let isLost = false;
  chain.node.onCall = (method, moment) => {
    if (isLost || method !== 'eth_getTransactionCount' || moment !== 'before') return;
    isLost = true;
    void chain.request('evm_revert', snapshot);
  };
  await outbox.add(1);
  submitter.wake();
  await waitUntil(() => submitter.report().transactions.reorganised > 0, 'the loss is counted');
  await outbox.untilAll('submitted');
  await waitUntilIdle(world);
  await expectConsistentRegistrations(outbox, chain);
  expect(isLost).toBe(true);
  expect(submitter.report().transactions.reorganised).toBe(1);
  expect(hasLogged(world, 'will be retried')).toBe(false);
});

it('A transaction that was mined and is lost before it is confirmed counts as reorganised, and is sent again', async () => {
  const { outbox, chain } = world;
  await outbox.add(2);
  const submitter = world.start({ confirmations: 3 });
  await outbox.untilAll('submitting');
  // The second time, the submitter has seen the first receipt.
  await waitForCalls('eth_getTransactionReceipt', 2);
  await chain.reorganize(1);
  await waitUntil(() => submitter.report().transactions.reorganised === 1, 'the loss is counted');
  expect(hasLogged(world, 'a reorganization removed an unconfirmed transaction')).toBe(true);
  await waitUntil(async () => {
    await chain.mine();
    return (await outbox.countByStatus())['submitted'] === 2;
  }, 'it is confirmed');
  await expectConsistentRegistrations(outbox, chain);
});

it('The balance is reported only by the process with the lease', async () => {
  const { outbox } = world;
  const submitter = world.start({ times: { leaseMs: 900 } });
  const reportsBalance = () => {
    const { holdsLease, balance, lowBalance } = submitter.report();
    return holdsLease && balance !== undefined && lowBalance === false;
  };
  await waitUntil(reportsBalance, 'the balance is known');
  await outbox.query(`update leases set holder = '2 another', expires_at = now() + interval '1 hour'`);
  await waitUntil(() => !submitter.report().holdsLease, 'the lease is lost');
  expect(submitter.report()).toMatchObject({ holdsLease: false, balance: undefined, lowBalance: undefined });
  await outbox.query('delete from leases');
  await waitUntil(reportsBalance, 'the balance is known again');
});
