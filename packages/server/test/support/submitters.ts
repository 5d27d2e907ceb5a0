// Submitters at work on a database and a chain of a test's own, with times that suit a test.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { connectToNode } from '@provenance-registry/chain-client';
import type { PrivateKeyAccount } from 'viem/accounts';
import { inject } from 'vitest';
import type { SubmitterTimes } from '../../src/chain/submitter/state.js';
import { type Submitter, type SubmitterOptions, startSubmitter } from '../../src/chain/submitter/submitter.js';
import { registrationQueue } from '../../src/database/queries/registrationQueue.js';
import type { RegistrationQueue } from '../../src/domain/ports/index.js';
import { openOutbox, type TestOutbox, until } from './registrations.js';
import { startTestChain, type TestChain } from './testChain.js';

/** Nothing waits for long; what is stuck or lost is so only when a test makes it. */
export const quickTimes: SubmitterTimes = {
  idleMs: 20,
  followMs: 20,
  gatherMs: 0,
  watchMs: 20,
  resendMs: 150,
  stuckMs: 60_000,
  lostMs: 100,
  leaseMs: 15_000,
};
/** No call fails because the machine is busy. */
const CALL_MS = 20_000;
/** For a node that hangs: it is given up soon. */
export const SHORT_CALL_MS = 300;
/** Nothing fails by itself. */
export const patient = { attempts: 1_000, ms: 0 };

export interface World {
  readonly outbox: TestOutbox;
  readonly chain: TestChain;
  readonly queue: RegistrationQueue;
  /** What submitters have logged. */
  readonly logged: { level: string; details: object; message: string }[];
  start(options?: StartOptions): Submitter;
  close(): Promise<void>;
}

export interface StartOptions {
  readonly queue?: RegistrationQueue;
  readonly account?: PrivateKeyAccount;
  readonly url?: string;
  readonly callMs?: number;
  readonly confirmations?: number;
  readonly retry?: SubmitterOptions['retry'];
  readonly times?: Partial<SubmitterTimes>;
}

export async function openWorld(): Promise<World> {
  const outbox = await openOutbox(inject('postgresUrl'));
  const chain = await startTestChain();
  const queue = registrationQueue(outbox.database);
  const logged: World['logged'] = [];
  const running = new Set<Submitter>();
  return {
    outbox,
    chain,
    queue,
    logged,
    start(options = {}) {
      const submitter = startSubmitter({
        queue: options.queue ?? queue,
        node: connectToNode({ url: options.url ?? chain.node.url, callMs: options.callMs ?? CALL_MS }),
        chainId: 31_337,
        registry: chain.registry,
        account: options.account ?? chain.writer,
        confirmations: options.confirmations ?? 1,
        retry: options.retry ?? patient,
        log: (level, details, message) => logged.push({ level, details, message }),
        times: { ...quickTimes, ...options.times },
      });
      running.add(submitter);
      return submitter;
    },
    async close() {
      chain.node.failing = () => undefined;
      for (const submitter of running) await submitter.stop();
      await outbox.close();
      await chain.close();
    },
  };
}

/** A step of the database's, or `sign`. */
export interface DeathPlace {
  readonly step: string;
  readonly moment: 'before' | 'after';
}

/** As a process of its own. */
export function spawnSubmitter({ outbox, chain }: World, dieAt?: DeathPlace): ChildProcess {
  const options = {
    databaseUrl: outbox.url,
    rpcUrl: chain.node.url,
    registry: chain.registry,
    key: chain.writingKey,
    confirmations: 1,
    // The next process does not wait for long; what is stuck in a random run is replaced.
    times: { ...quickTimes, stuckMs: 400, leaseMs: 50 },
    dieAt,
  };
  const script = fileURLToPath(new URL('./submitterProcess.mjs', import.meta.url));
  return spawn(process.execPath, [script, JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'inherit'] });
}

export function hasLogged({ logged }: World, words: string): boolean {
  return logged.some(({ message }) => message.includes(words));
}

/** Without the pause before another try. */
export async function hurry({ outbox }: World): Promise<void> {
  await outbox.query('update outbox set run_at = now() where transaction_id is null');
}

export async function untilAfterAnotherTry(world: World, check: () => Promise<boolean>, what: string): Promise<void> {
  await until(async () => {
    await hurry(world);
    return check();
  }, what);
}

/** Nothing is under way, and nothing is waiting but what is watched. */
export async function untilQuiet(world: World): Promise<void> {
  const { outbox } = world;
  await untilAfterAnotherTry(
    world,
    async () =>
      (await outbox.query('select 1 from chain_transactions where block_number is null')).length === 0 &&
      (await outbox.query('select 1 from outbox join artifacts on artifacts.id = artifact_id where status <> 2'))
        .length === 0,
    'nothing is under way',
  );
}
