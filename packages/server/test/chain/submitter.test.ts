// The submitter on a chain that does what chains do: batches, confirmations, fees, pauses, reorganisations.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { totalCalls } from '../support/faultyNode.js';
import { expectConsistentRegistrations, readRegistrations } from '../support/registrations.js';
import { openSubmitterSetup, type SubmitterSetup } from '../support/submitters.js';

let world: SubmitterSetup;
beforeEach(async () => {
  world = await openSubmitterSetup();
});
afterEach(() => world.close());

describe('registering Artifacts on chain', () => {
  it('registers a single Artifact at once, waiting for nothing but responses', async () => {
    const { outbox, chain } = world;
    const [artifact] = await outbox.add(1);
    // With pauses this long, one round of waiting would be the end of this test.
    world.start({ times: { idleMs: 3_600_000, followMs: 3_600_000 } });
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
    expect(await readRegistrations(chain)).toEqual([{ fingerprint: artifact?.fingerprint, id: artifact?.id }]);
    const { eth_getBlockByNumber: blocks, ...others } = Object.fromEntries(chain.node.calls);
    expect(blocks).toBeLessThanOrEqual(5);
    expect(others).toEqual({
      eth_maxPriorityFeePerGas: 2,
      eth_getBalance: 1,
      eth_getTransactionCount: 2,
      eth_call: 1,
      eth_estimateGas: 1,
      eth_sendRawTransaction: 1,
      eth_getTransactionReceipt: 1,
    });
  });

  it('registers renditions under the id of their Artifact, once that is submitted', async () => {
    const { outbox, chain } = world;
    chain.mining.atOnce = false;
    const artifacts = await outbox.add(2);
    // Recorded before their Artifact's turn, as far as the queue knows.
    const copies = await outbox.add(3, { renditionOf: artifacts[0], createdAt: new Date(0) });
    await outbox.query(
      `update outbox set run_at = now() - interval '1 hour' where created_at < now() - interval '1 day'`,
    );
    world.start();
    await outbox.untilAll('submitting', artifacts);
    const seen = chain.node.calls.get('eth_getTransactionCount') ?? 0;
    await waitUntil(() => (chain.node.calls.get('eth_getTransactionCount') ?? 0) > seen + 2, 'it has looked again');
    expect(await outbox.countByStatus()).toEqual({ pending: 3, submitting: 2 });
    chain.mining.atOnce = true;
    await chain.mine();
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
    const registrations = await readRegistrations(chain);
    expect(
      registrations
        .slice(2)
        .map(({ fingerprint }) => fingerprint)
        .sort(),
    ).toEqual(copies.map(({ fingerprint }) => fingerprint).sort());
    expect(registrations.slice(2).map(({ id }) => id)).toEqual(copies.map(() => artifacts[0]?.id));
  });

  it('is woken by a new Artifact', async () => {
    const { outbox } = world;
    const submitter = world.start({ times: { idleMs: 3_600_000 } });
    await waitUntil(() => submitter.report().balance !== undefined, 'it has looked around');
    await outbox.add(1);
    await waitUntil(async () => {
      submitter.wake();
      return (await outbox.countByStatus())['submitted'] === 1;
    }, 'it is submitted');
  });

  it('collects Artifacts for a while after a batch, and sends a full batch at once', async () => {
    const { outbox, chain } = world;
    await outbox.add(1);
    world.start({ times: { gatherMs: 3_600_000 } });
    await outbox.untilAll('submitted');
    await outbox.add(250);
    await waitUntil(async () => (await outbox.countByStatus())['submitted'] === 201, 'the full batch is submitted');
    const seen = chain.node.calls.get('eth_getTransactionCount') ?? 0;
    await waitUntil(() => (chain.node.calls.get('eth_getTransactionCount') ?? 0) > seen + 2, 'it has looked again');
    expect(await outbox.countByStatus()).toEqual({ pending: 50, submitted: 201 });
  });

  it('fills batches under load: 1,000 Artifacts in five transactions and fewer than 0.2 calls each', async () => {
    const { outbox, chain } = world;
    await outbox.add(1_000);
    world.start();
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
    expect(await chain.request('eth_getTransactionCount', chain.writer.address, 'latest')).toBe('0x5');
    expect(totalCalls(chain.node) / 1_000).toBeLessThan(0.2);
  });

  it('keeps eight full batches pending when blocks are slow, and no ninth', async () => {
    const { outbox, chain } = world;
    chain.mining.atOnce = false;
    await outbox.add(1_900);
    world.start();
    await waitUntil(async () => (await outbox.countByStatus())['submitting'] === 1_600, 'eight batches are under way');
    const seen = chain.node.calls.get('eth_getTransactionCount') ?? 0;
    await waitUntil(() => (chain.node.calls.get('eth_getTransactionCount') ?? 0) > seen + 3, 'it has looked again');
    expect(await outbox.countByStatus()).toEqual({ pending: 300, submitting: 1_600 });
    chain.mining.atOnce = true;
    await chain.mine(2);
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
  });

  it('sets submitting when a transaction is recorded, and submitted when it has three confirmations', async () => {
    const { outbox, chain } = world;
    await outbox.add(3);
    world.start({ confirmations: 3 });
    const receipts = () => chain.node.calls.get('eth_getTransactionReceipt') ?? 0;
    for (const blocks of [0, 1]) {
      await chain.mine(blocks);
      const seen = receipts();
      await waitUntil(() => receipts() > seen + 2, 'it has looked at the receipt');
      expect(await outbox.countByStatus()).toEqual({ submitting: 3 });
    }
    expect((await outbox.rows()).map((row) => row.transaction_hash)).toEqual([null, null, null]);
    await chain.mine(1);
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
  });

  it('does not delay an Artifact until earlier ones are confirmed', async () => {
    const { outbox, chain } = world;
    await outbox.add(1);
    world.start({ confirmations: 10 });
    await waitUntil(async () => (await readRegistrations(chain)).length === 1, 'the first is mined');
    await outbox.add(1);
    await waitUntil(async () => (await readRegistrations(chain)).length === 2, 'the second is mined');
    await chain.mine(9);
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
  });

  it('halves a batch that does not fit into a block', async () => {
    const { outbox, chain } = world;
    await chain.request('evm_setBlockGasLimit', '0x3d0900');
    await chain.mine();
    await outbox.add(100);
    world.start();
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
  });

  it('replaces a transaction that no longer fits into a block with an empty one, and sends smaller ones', async () => {
    const { outbox, chain } = world;
    chain.mining.atOnce = false;
    await outbox.add(100);
    world.start({ times: { stuckMs: 100 } });
    await outbox.untilAll('submitting');
    await chain.request('evm_setBlockGasLimit', '0x3d0900');
    await mineUntil('submitted');
    await expectConsistentRegistrations(outbox, chain);
  });
});

describe('fees and funds', () => {
  it('replaces a transaction when the base fee exceeds its fee, and stores the hash that was mined', async () => {
    const { outbox, chain } = world;
    chain.mining.atOnce = false;
    await outbox.add(5);
    const submitter = world.start({ times: { stuckMs: 100 } });
    await outbox.untilAll('submitting');
    const sent = await outbox.query<{ hash: string }>(`select '0x' || encode(hash, 'hex') as hash from chain_attempts`);
    await chain.request('hardhat_setNextBlockBaseFeePerGas', '0xba43b7400');
    await mineUntil('submitted');
    await expectConsistentRegistrations(outbox, chain);
    expect(submitter.report().transactions.replaced).toBeGreaterThan(0);
    for (const { transaction_hash } of await outbox.rows()) expect(transaction_hash).not.toBe(sent[0]?.hash);
  });

  it('raises both fees by more than a tenth with every replacement', async () => {
    const { outbox, chain } = world;
    chain.mining.atOnce = false;
    await outbox.add(1);
    const submitter = world.start({ times: { stuckMs: 50 } });
    await waitUntil(() => submitter.report().transactions.replaced >= 3, 'it was replaced three times');
    const attempts = await outbox.query<{ fee: number; tip: number }>(
      `select max_fee_per_gas::float8 as fee, max_priority_fee_per_gas::float8 as tip
       from chain_attempts order by created_at`,
    );
    for (const [index, { fee, tip }] of attempts.entries()) {
      const before = attempts[index - 1];
      if (!before) continue;
      expect(fee).toBeGreaterThan(before.fee * 1.1);
      expect(tip).toBeGreaterThan(before.tip * 1.1);
    }
    expect(world.logged.map(({ message }) => message)).not.toContain('chain: the node rejected a transaction');
    await mineUntil('submitted');
    await expectConsistentRegistrations(outbox, chain);
  });

  it('never offers more than its limit, whatever the node suggests', async () => {
    const { outbox, chain } = world;
    chain.mining.atOnce = false;
    await chain.request('hardhat_setNextBlockBaseFeePerGas', '0x9184e72a000');
    await chain.mine();
    await outbox.add(1);
    world.start({ times: { stuckMs: 50 } });
    await outbox.untilAll('submitting');
    await mineUntil('submitted');
    const [highest] = await outbox.query<{ fee: string }>('select max(max_fee_per_gas) as fee from chain_attempts');
    expect(BigInt(highest?.fee ?? 0)).toBeLessThanOrEqual(2_000_000_000_000n);
    await expectConsistentRegistrations(outbox, chain);
  });

  it('waits while the key has no funds, and continues by itself when it has some', async () => {
    const { outbox, chain } = world;
    await chain.request('hardhat_setBalance', chain.writer.address, '0x0');
    await outbox.add(3);
    const submitter = world.start();
    await waitUntil(
      () => world.logged.some(({ message }) => message.includes('no funds')),
      'it says that it has no funds',
    );
    await outbox.add(3);
    expect(submitter.report().lowBalance).toBe(true);
    expect((await outbox.query('select 1 from chain_transactions')).length).toBe(1);
    await chain.request('hardhat_setBalance', chain.writer.address, '0x8ac7230489e80000');
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
    expect(world.logged.filter(({ message }) => message.includes('no funds')).length).toBe(1);
  });

  it('continues after a replacement failed for lack of funds, once the first attempt is mined', async () => {
    const { outbox, chain } = world;
    chain.mining.atOnce = false;
    await outbox.add(1);
    const first = world.start();
    await outbox.untilAll('submitting');
    // Sent by then, and not replaced: there is one attempt when its price is looked up.
    await first.stop();
    const [cost] = await outbox.query<{ wei: string }>(
      'select gas * max_fee_per_gas as wei from chain_transactions join chain_attempts on transaction_id = id',
    );
    await chain.request('hardhat_setBalance', chain.writer.address, `0x${BigInt(cost?.wei ?? 0).toString(16)}`);
    world.start({ times: { stuckMs: 50 } });
    await waitUntil(
      () => world.logged.some(({ message }) => message.includes('no funds')),
      'the replacement is refused',
    );
    await chain.mine();
    await outbox.untilAll('submitted');
    await chain.request('hardhat_setBalance', chain.writer.address, '0x8ac7230489e80000');
    chain.mining.atOnce = true;
    await outbox.add(1);
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
  });
});

describe('nonces', () => {
  it('registers again what lost its nonce to a foreign transaction', async () => {
    const { outbox, chain } = world;
    chain.mining.atOnce = false;
    await outbox.add(5);
    const submitter = world.start();
    await outbox.untilAll('submitting');
    await chain.sendUnknownTransaction(0, chain.writer.address);
    chain.mining.atOnce = true;
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
    expect(submitter.report().transactions.lost).toBe(1);
  });

  it('fills a nonce gap before pending transactions', async () => {
    const { outbox, chain } = world;
    chain.mining.atOnce = false;
    await outbox.add(400);
    const submitter = world.start();
    await outbox.untilAll('submitting');
    await submitter.stop();
    // As after a reorganisation that took a foreign transaction back.
    await outbox.query(
      'update outbox set transaction_id = null where transaction_id in (select id from chain_transactions where nonce = 0)',
    );
    await outbox.query('delete from chain_transactions where nonce = 0');
    await chain.emptyPool();
    chain.mining.atOnce = true;
    // Too few to be a batch of their own while others are under way.
    await outbox.query("update outbox set run_at = now() + interval '1 hour' where transaction_id is null");
    world.start();
    await waitUntil(async () => (await outbox.countByStatus())['submitted'] === 200, 'the second batch is mined');
    await outbox.query('update outbox set run_at = now()');
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
  });
});

/** Blocks follow until all Artifacts are there. */
async function mineUntil(status: 'submitted' | 'failed'): Promise<void> {
  const { outbox, chain } = world;
  let done = false;
  const waiting = outbox.untilAll(status).finally(() => {
    done = true;
  });
  while (!done) {
    const seen = chain.node.calls.get('eth_getBlockByNumber') ?? 0;
    await chain.mine();
    await waitUntil(
      () => done || (chain.node.calls.get('eth_getBlockByNumber') ?? 0) > seen + 1,
      'it has seen the block',
    );
  }
  await waiting;
}
