// Checks untrusted time-stamps in isolated processes.

import { RegistryError } from '@provenance-registry/core';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { FairLimit } from '../workers/fairLimit.js';
import { WorkerPool, workerFile } from '../workers/pool.js';
import type { TimestampFinding, TimestampJob } from './checkTimestamp.js';
import type { EvidenceJobs } from './evidenceWorker.js';

const budget = {
  name: 'evidence',
  /** A check takes milliseconds. */
  maxRunning: 1,
  maxRunningPerClient: 1,
  maxWaiting: 32,
  maxWaitingPerClient: 32,
  maxWaitingPerLane: 32,
  /** A process that must be started first takes up to seconds on a busy machine. */
  maxWaitMs: 10_000,
};
/** A hundred times the time of the most expensive token that fits in the limits, and of the start of a process. */
const JOB_TIMEOUT_MS = 10_000;
const processLimits = { cpuSeconds: 5, memoryMb: 512, heapMb: 96 };
/** Claims are rare. */
const IDLE_TIMEOUT_MS = 60_000;

/** Checked, because a token may have taken control of the worker. */
const Finding = Type.Union([
  Type.Object({ state: Type.Literal('invalid'), reason: Type.String() }),
  Type.Object({
    state: Type.Union([Type.Literal('trusted'), Type.Literal('untrusted'), Type.Literal('revoked')]),
    reason: Type.Union([Type.String(), Type.Null()]),
    time: Type.Refine(Type.Unsafe<Date>({}), (time) => time instanceof Date),
    source: Type.String(),
    token: Type.Unsafe<Uint8Array>({}),
  }),
]);

export interface TimestampChecker {
  check(client: string, job: TimestampJob): Promise<TimestampFinding>;
  close(): Promise<void>;
}

/** @param worker the file that the workers run; tests replace it */
export function createTimestampChecker(worker = workerFile('evidenceWorker')): TimestampChecker {
  const limit = new FairLimit(budget);
  const pool = new WorkerPool<EvidenceJobs>({
    file: worker,
    maxWorkers: 1,
    maxQueuedJobs: 1,
    jobTimeoutMs: JOB_TIMEOUT_MS,
    processLimits,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
  });
  return {
    check: (client, job) =>
      limit.run({ client }, async () => {
        const finding = await pool.run('checkTimestamp', job).catch((error: unknown) => {
          if (error instanceof RegistryError) throw error;
          throw new RegistryError('UNAVAILABLE', 'The time-stamp could not be checked in time.', { cause: error });
        });
        return Value.Parse(Finding, finding);
      }),
    close: () => pool.close(),
  };
}
