// Submitters on a database and a chain of their own, with short intervals.

import { type ChildProcess, spawn } from 'node:child_process';
import { createJsonRpcClient } from '@provenance-registry/chain-client';
import type { PrivateKeyAccount } from 'viem/accounts';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import type { SubmitterTimes } from '../../src/chain/submitter/state.js';
import { Submitter, type SubmitterOptions } from '../../src/chain/submitter/submitter.js';
import { ChainOutboxQueries } from '../../src/database/queries/artifacts/chainOutbox.js';
import type { ChainOutbox } from '../../src/domain/ports/index.js';
import { bundleProcess } from './bundledProcess.js';
import { openOutbox, type TestOutbox } from './registrations.js';
import { startTestChain, type TestChain } from './testChain.js';

/** Short intervals; transactions become stuck or lost only when a test causes it. */
const quickTimes: SubmitterTimes = {
  idleMs: 20,
  followMs: 20,
  gatherMs: 0,
  watchMs: 20,
  resendMs: 150,
  stuckMs: 60_000,
  lostMs: 100,
  leaseMs: 15_000,
};
/** Long enough for a busy machine. */
const CALL_MS = 20_000;
/** For tests with a node that hangs. */
export const SHORT_CALL_MS = 300;
/** No registration fails for lack of attempts. */
const unlimitedRetries = { attempts: 1_000, ms: 0 };

export interface SubmitterSetup {
  readonly outbox: TestOutbox;
  readonly chain: TestChain;
  readonly queue: ChainOutbox;
  /** What submitters have logged. */
  readonly logged: { level: string; details: object; message: string }[];
  start(options?: StartOptions): Submitter;
  close(): Promise<void>;
}

export interface StartOptions {
  readonly queue?: ChainOutbox;
  readonly account?: PrivateKeyAccount;
  readonly url?: string;
  readonly callMs?: number;
  readonly confirmations?: number;
  readonly retry?: SubmitterOptions['retry'];
  readonly times?: Partial<SubmitterTimes>;
  readonly anchoring?: SubmitterOptions['anchoring'];
}

export async function openSubmitterSetup(): Promise<SubmitterSetup> {
  const outbox = await openOutbox();
  const chain = await startTestChain();
  const queue = new ChainOutboxQueries(outbox.database);
  const logged: SubmitterSetup['logged'] = [];
  const running = new Set<Submitter>();
  return {
    outbox,
    chain,
    queue,
    logged,
    start(options = {}) {
      const submitter = new Submitter({
        queue: options.queue ?? queue,
        node: createJsonRpcClient({ url: options.url ?? chain.node.url, timeoutMs: options.callMs ?? CALL_MS }),
        chainId: 31_337,
        registry: chain.registry,
        account: options.account ?? chain.writer,
        confirmations: options.confirmations ?? 1,
        pseudonymSecret: 'secret of this test',
        retry: options.retry ?? unlimitedRetries,
        anchoring: options.anchoring,
        log: (level, details, message) => logged.push({ level, details, message }),
        times: { ...quickTimes, ...options.times },
      });
      running.add(submitter);
      return submitter;
    },
    async close() {
      chain.node.faultFor = () => undefined;
      for (const submitter of running) await submitter.stop();
      await outbox.close();
      await chain.close();
    },
  };
}

/** Where a submitter process kills itself: a method of the registration queue, or `sign`. */
export interface CrashPoint {
  readonly step: string;
  readonly moment: 'before' | 'after';
}

/** Starts a submitter in another process. */
export function spawnSubmitter({ outbox, chain }: SubmitterSetup, dieAt?: CrashPoint): ChildProcess {
  const options = {
    databaseUrl: outbox.url,
    rpcUrl: chain.node.url,
    registry: chain.registry,
    key: chain.writingKey,
    confirmations: 1,
    // A short lease lets the next process take over; stuck transactions of a random run are replaced.
    times: { ...quickTimes, stuckMs: 400, leaseMs: 50 },
    dieAt,
  };
  const script = bundleProcess('submitterProcess.mjs');
  return spawn(process.execPath, [script, JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'inherit'] });
}

export function hasLogged({ logged }: SubmitterSetup, words: string): boolean {
  return logged.some(({ message }) => message.includes(words));
}

/** Makes waiting retries due now. */
export async function skipRetryDelay({ outbox }: SubmitterSetup): Promise<void> {
  // Without waiting for rows that the submitter changes: two that wait for each other would end one of them.
  await outbox.query(
    `update outbox set run_at = now()
     where id in (select id from outbox where transaction_id is null for update skip locked)`,
  );
}

export async function waitUntilRetried(
  setup: SubmitterSetup,
  check: () => Promise<boolean>,
  what: string,
): Promise<void> {
  await waitUntil(async () => {
    await skipRetryDelay(setup);
    return check();
  }, what);
}

/** Waits until no transaction is pending and the outbox holds only Artifacts watched for reorganizations. */
export async function waitUntilIdle(setup: SubmitterSetup): Promise<void> {
  const { outbox } = setup;
  await waitUntilRetried(
    setup,
    async () =>
      (await outbox.query('select 1 from chain_transactions where block_number is null')).length === 0 &&
      (await outbox.query('select 1 from outbox join artifacts on artifacts.id = artifact_id where status <> 2'))
        .length === 0,
    'no transaction is pending',
  );
}
