// The fault table: every step of the submitter's × {fails, fails but happened, times out, the process dies}. After each,
// every Artifact is on chain exactly once, and says so.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import type { ChainOutbox } from '../../src/domain/ports/index.js';
import { failNext, nodeFaults, seededRandom } from '../support/faultyNode.js';
import { expectConsistentRegistrations, readRegistrations } from '../support/registrations.js';
import {
  type CrashPoint,
  openSubmitterSetup,
  SHORT_CALL_MS,
  type SubmitterSetup,
  spawnSubmitter,
} from '../support/submitters.js';

const calls = [
  'eth_getBlockByNumber',
  'eth_getBalance',
  'eth_getTransactionCount',
  'eth_call',
  'eth_estimateGas',
  'eth_maxPriorityFeePerGas',
  'eth_sendRawTransaction',
  'eth_getTransactionReceipt',
] as const;

const queries = ['acquireLease', 'listTransactions', 'listConfirmed', 'listWaiting', 'assign', 'settle'] as const;
type Query = (typeof queries)[number] | 'addAttempt' | 'reopen' | 'deleteTransactions';

const queryFaults = ['fails', 'failsAfter', 'timesOut', 'timesOutAfter'] as const;
type QueryFault = (typeof queryFaults)[number];
/** A database that does not answer is given up after a while. */
const DATABASE_TIMEOUT_MS = 100;

let world: SubmitterSetup;
beforeEach(async () => {
  world = await openSubmitterSetup();
});
afterEach(() => world.close());

/** A queue whose next call of that kind goes wrong; answers whether it has. */
function failingQueue(step: Query, fault: QueryFault): { queue: ChainOutbox; hasFailed: () => boolean } {
  let failed = false;
  const { queue } = world;
  const wrapped: Pick<ChainOutbox, Query> = {
    acquireLease: (...args) => guard('acquireLease', () => queue.acquireLease(...args)),
    listTransactions: (...args) => guard('listTransactions', () => queue.listTransactions(...args)),
    listConfirmed: (...args) => guard('listConfirmed', () => queue.listConfirmed(...args)),
    listWaiting: (...args) => guard('listWaiting', () => queue.listWaiting(...args)),
    assign: (...args) => guard('assign', () => queue.assign(...args)),
    settle: (...args) => guard('settle', () => queue.settle(...args)),
    addAttempt: (...args) => guard('addAttempt', () => queue.addAttempt(...args)),
    reopen: (...args) => guard('reopen', () => queue.reopen(...args)),
    deleteTransactions: (...args) => guard('deleteTransactions', () => queue.deleteTransactions(...args)),
  };
  async function guard<T>(name: Query, work: () => Promise<T>): Promise<T> {
    if (failed || name !== step) return work();
    failed = true;
    if (fault === 'failsAfter' || fault === 'timesOutAfter') await work();
    if (fault === 'timesOut' || fault === 'timesOutAfter') await delay(DATABASE_TIMEOUT_MS);
    throw new Error('The database cannot be reached right now.');
  }
  return { queue: Object.assign(Object.create(queue), wrapped), hasFailed: () => failed };
}

describe('a node that fails', () => {
  for (const method of calls) {
    it(`at ${method}, in every way, affects no Artifact`, async () => {
      const { outbox, chain } = world;
      for (const fault of nodeFaults) {
        const hasFailed = failNext(chain.node, method, fault);
        await outbox.add(3);
        const submitter = world.start({ callMs: SHORT_CALL_MS });
        await outbox.untilAll('submitted');
        await submitter.stop();
        expect(hasFailed(), fault).toBe(true);
        await expectConsistentRegistrations(outbox, chain);
      }
    });
  }

  it('is not mistaken for a contract that refuses', async () => {
    const { outbox, chain } = world;
    const hasFailed = failNext(chain.node, 'eth_estimateGas', 'rpcError', 5);
    await outbox.add(3);
    world.start({ retry: { attempts: 1, ms: 0 } });
    await outbox.untilAll('submitted');
    expect(hasFailed()).toBe(true);
    await expectConsistentRegistrations(outbox, chain);
  });

  it('is unavailable for a while, and is logged once', async () => {
    const { outbox, chain } = world;
    let refused = 0;
    chain.node.faultFor = () => {
      refused += 1;
      return 'httpError';
    };
    await outbox.add(5);
    world.start();
    await waitUntil(() => refused > 10, 'it was asked many times');
    expect(await outbox.countByStatus()).toEqual({ pending: 5 });
    chain.node.faultFor = () => undefined;
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
    expect(world.logged.filter(({ message }) => message.includes('will be retried')).length).toBe(1);
  });

  it('becomes unavailable while transactions are pending', async () => {
    const { outbox, chain } = world;
    chain.mining.atOnce = false;
    await outbox.add(5);
    // Written down before it is sent: only what the node has can be mined.
    const isSent = new Promise<void>((resolve) => {
      chain.node.onCall = (method, moment) => {
        if (method === 'eth_sendRawTransaction' && moment === 'after') resolve();
      };
    });
    world.start({ callMs: SHORT_CALL_MS });
    await isSent;
    await outbox.untilAll('submitting');
    let refused = 0;
    chain.node.faultFor = () => {
      refused += 1;
      return 'hangs';
    };
    await chain.mine();
    await waitUntil(() => refused > 2, 'it was asked some times');
    expect(await outbox.countByStatus()).toEqual({ submitting: 5 });
    chain.node.faultFor = () => undefined;
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
  });

  it('fails every fifth call, and everything is registered', async () => {
    const { outbox, chain } = world;
    const random = seededRandom(7);
    chain.node.faultFor = () => (random() < 0.2 ? nodeFaults[Math.floor(random() * 3)] : undefined);
    for (let round = 0; round < 10; round += 1) {
      await outbox.add(20);
      if (round === 0) world.start();
      await outbox.untilAll('submitted');
    }
    chain.node.faultFor = () => undefined;
    await expectConsistentRegistrations(outbox, chain);
  });
});

describe('a database that fails', () => {
  for (const step of queries) {
    it(`at ${step}, in every way, affects no Artifact`, async () => {
      const { outbox, chain } = world;
      for (const fault of queryFaults) {
        const { queue, hasFailed } = failingQueue(step, fault);
        await outbox.add(3);
        const submitter = world.start({ queue });
        await outbox.untilAll('submitted');
        await submitter.stop();
        expect(hasFailed(), fault).toBe(true);
        await expectConsistentRegistrations(outbox, chain);
      }
    });
  }

  for (const fault of queryFaults) {
    it(`loses no replacement when recording it ${fault}`, async () => {
      const { outbox, chain } = world;
      chain.mining.atOnce = false;
      const { queue, hasFailed } = failingQueue('addAttempt', fault);
      await outbox.add(3);
      world.start({ queue, times: { stuckMs: 50 } });
      await waitUntil(hasFailed, 'a replacement has failed');
      await chain.mine();
      await outbox.untilAll('submitted');
      await expectConsistentRegistrations(outbox, chain);
    });

    it(`loses no reorganization when recording it ${fault}, and no final transaction`, async () => {
      const { outbox, chain } = world;
      await outbox.add(3);
      const reopening = failingQueue('reopen', fault);
      const first = world.start({ queue: reopening.queue });
      await outbox.untilAll('submitted');
      await chain.reorganize(1);
      await waitUntil(reopening.hasFailed, 'the reorganisation was noticed');
      await waitUntil(async () => (await readRegistrations(chain)).length === 3, 'all are on chain again');
      await waitUntil(async () => (await openTransactions()) === 0, 'nothing is under way');
      await expectConsistentRegistrations(outbox, chain);
      await first.stop();
      const forgetting = failingQueue('deleteTransactions', fault);
      world.start({ queue: forgetting.queue });
      await chain.mine(70);
      await waitUntil(async () => (await watched()) === 0, 'it is forgotten');
      expect(forgetting.hasFailed()).toBe(true);
      await expectConsistentRegistrations(outbox, chain);
    });
  }
});

describe('a signer that fails', () => {
  it('affects no Artifact', async () => {
    const { outbox, chain } = world;
    let failed = 0;
    const account: PrivateKeyAccount = {
      ...chain.writer,
      sign: async (...args) => {
        failed += 1;
        if (failed === 1) throw new Error('the signer is away');
        if (failed === 2) {
          await chain.writer.sign(...args);
          throw new Error('the signer is away');
        }
        return chain.writer.sign(...args);
      },
    };
    await outbox.add(3);
    world.start({ account });
    await outbox.untilAll('submitted');
    expect(failed).toBe(3);
    await expectConsistentRegistrations(outbox, chain);
  });
});

describe('a process that dies', () => {
  const children = new Set<ChildProcess>();
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
    children.clear();
    world.chain.node.onCall = () => {};
  });

  function startProcess(dieAt?: CrashPoint): ChildProcess {
    const child = spawnSubmitter(world, dieAt);
    children.add(child);
    return child;
  }

  async function untilDead(child: ChildProcess): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
  }

  for (const moment of ['before', 'after'] as const) {
    it(`${moment} any call to the node leaves everything to the next one`, async () => {
      const { outbox, chain } = world;
      for (const method of calls) {
        await outbox.add(3);
        const child = startProcess();
        chain.node.onCall = (called, when) => {
          if (called === method && when === moment) child.kill('SIGKILL');
        };
        await untilDead(child);
        chain.node.onCall = () => {};
        const next = world.start();
        await outbox.untilAll('submitted');
        await next.stop();
        await expectConsistentRegistrations(outbox, chain);
      }
    });

    it(`${moment} any change of the database leaves everything to the next one`, async () => {
      const { outbox, chain } = world;
      for (const step of ['acquireLease', 'assign', 'settle', ...(moment === 'before' ? ['sign'] : [])]) {
        await outbox.add(3);
        await untilDead(startProcess({ step, moment }));
        const next = world.start();
        await outbox.untilAll('submitted');
        await next.stop();
        await expectConsistentRegistrations(outbox, chain);
      }
    });
  }

  it('while it holds the lease is replaced by one waiting process, and only by one', async () => {
    const { outbox, chain } = world;
    await outbox.add(3);
    const first = startProcess();
    await outbox.untilAll('submitted');
    world.start();
    world.start();
    first.kill('SIGKILL');
    await outbox.add(300);
    await outbox.untilAll('submitted');
    await expectConsistentRegistrations(outbox, chain);
  });
});

async function openTransactions(): Promise<number> {
  return (await world.outbox.query('select 1 from chain_transactions where block_number is null')).length;
}

async function watched(): Promise<number> {
  return (await world.outbox.query('select 1 from chain_transactions where block_number is not null')).length;
}
