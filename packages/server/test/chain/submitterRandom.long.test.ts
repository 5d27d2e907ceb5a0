// Everything at once: a node that fails every fifth call, reorganisations, fee spikes, foreign transactions and a process
// that is killed again and again. What is random follows from the seed, as far as two processes can be held to one.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { nodeFaults, seededRandom } from '../support/faultyNode.js';
import { expectConsistentRegistrations, readRegistrations } from '../support/registrations.js';
import { openSubmitterSetup, type SubmitterSetup, spawnSubmitter } from '../support/submitters.js';

const SEED = Number(process.env['SUBMITTER_SEED'] ?? 1);
const ARTIFACTS = 300;
const LIVES = 6;
const RENDITIONS_IN_A_LIFE = 3;
/** As fast as the fastest chains. */
const BLOCK_MS = 60;
/** Twenty seconds where nothing else runs. */
const SLOW_MACHINE_MS = 300_000;
/** Of each kind; about ten where nothing else runs. */
const ENOUGH_WEATHER = 4;
/** What a process is killed after: some die before they have sent anything. */
const MAX_CALLS_IN_A_LIFE = 60;

it(
  'brings 300 Artifacts and renditions to the chain exactly once, whatever fails',
  async () => {
    const world = await openSubmitterSetup();
    const { outbox, chain } = world;
    const random = seededRandom(SEED);
    const happened = { killed: 0, reorganised: 0, spikes: 0, foreign: 0, faults: 0 };
    let ending = false;
    chain.mining.atOnce = false;
    chain.node.faultFor = () => {
      if (random() >= 0.2) return undefined;
      happened.faults += 1;
      // A call that hangs costs half a second: one in twenty of the faults does.
      return random() < 0.05 ? nodeFaults[3 + Math.floor(random() * 2)] : nodeFaults[Math.floor(random() * 3)];
    };
    const weather = runChain(world, random, happened, () => ending);
    let child: ChildProcess | undefined;
    try {
      for (let life = 0; life < LIVES; life += 1) {
        const [artifact] = await outbox.add(ARTIFACTS / LIVES - RENDITIONS_IN_A_LIFE);
        await outbox.add(RENDITIONS_IN_A_LIFE, { renditionOf: artifact });
        const living = spawnSubmitter(world);
        child = living;
        let left = 1 + Math.floor(random() * MAX_CALLS_IN_A_LIFE);
        chain.node.onCall = () => {
          left -= 1;
          if (left === 0) living.kill('SIGKILL');
        };
        await once(living, 'exit');
        happened.killed += 1;
      }
      chain.node.onCall = () => {};
      child = spawnSubmitter(world);
      await outbox.untilAll('submitted');
      ending = true;
      await weather;
      chain.node.faultFor = () => undefined;
      await waitUntil(async () => {
        await outbox.query('update outbox set run_at = now() where transaction_id is null');
        await chain.mine();
        const open = await outbox.query('select 1 from chain_transactions where block_number is null');
        return open.length === 0 && (await readRegistrations(chain)).length === ARTIFACTS;
      }, 'all are on chain and nothing is under way');
      await outbox.untilAll('submitted');
      await expectConsistentRegistrations(outbox, chain);
      expect(happened.killed).toBe(LIVES);
      expect(happened.faults).toBeGreaterThan(3);
    } finally {
      ending = true;
      await weather;
      const ended = child && child.exitCode === null && child.signalCode === null && once(child, 'exit');
      child?.kill('SIGKILL');
      await ended;
      await world.close();
    }
  },
  SLOW_MACHINE_MS,
);

/** Blocks, and what happens to them: until the end, and until enough has happened. */
async function runChain(
  { chain }: SubmitterSetup,
  random: () => number,
  happened: { reorganised: number; spikes: number; foreign: number },
  isEnding: () => boolean,
): Promise<void> {
  const isEnough = () => Math.min(happened.reorganised, happened.spikes) >= ENOUGH_WEATHER;
  for (let block = 0; !(isEnding() && isEnough()); block += 1) {
    await delay(BLOCK_MS);
    const dice = random();
    if (dice < 0.06 && block > 3) {
      happened.reorganised += 1;
      await chain.reorganize(1 + Math.floor(random() * 2));
    } else if (dice < 0.1) {
      happened.spikes += 1;
      await chain.request(
        'hardhat_setNextBlockBaseFeePerGas',
        `0x${(BigInt(Math.ceil(random() * 100)) * 10n ** 9n).toString(16)}`,
      );
    } else if (dice < 0.12) {
      const nonce = Number(await chain.request('eth_getTransactionCount', chain.writer.address, 'latest'));
      // The submitter's own may pay more by now: then there is none.
      await chain.sendUnknownTransaction(nonce, chain.writer.address).then(
        () => {
          happened.foreign += 1;
        },
        () => undefined,
      );
    }
    await chain.mine();
  }
}
