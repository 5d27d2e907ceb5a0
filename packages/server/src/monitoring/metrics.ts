// The Prometheus metrics of this process. Counters and durations are updated where things happen; states are read when
// the metrics are rendered. Every label has a fixed set of values: clients cannot add series.

import { setImmediate } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const registry = new Registry();
/** Each sample wakes an idle process: a hundred a second, the default, were a third of what it takes. */
const EVENT_LOOP_SAMPLE_MS = 50;
collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
const registers = [registry];

/** Seconds, from a signature in memory to a bucket that is retried. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export const requestsInFlight = new Gauge({
  name: 'http_requests_in_flight',
  help: 'Requests in progress.',
  registers,
});
export const requests = new Counter({
  name: 'http_requests_total',
  help: 'Requests that were answered.',
  labelNames: ['method', 'route', 'status'],
  registers,
});
/** Without the status, and with fewer buckets than others: there are more than a hundred routes. */
export const requestDuration = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time from a request to the end of its response.',
  labelNames: ['method', 'route'],
  buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers,
});
export const fileStoreDuration = new Histogram({
  name: 'file_store_duration_seconds',
  help: 'Operations of the store of published files, retries included.',
  labelNames: ['operation', 'outcome'],
  buckets,
  registers,
});
export const timestampDuration = new Histogram({
  name: 'timestamp_request_duration_seconds',
  help: 'Requests to the time-stamp authorities.',
  labelNames: ['authority', 'outcome'],
  buckets,
  registers,
});
export const signerDuration = new Histogram({
  name: 'signer_duration_seconds',
  help: 'Signatures of claims.',
  labelNames: ['outcome'],
  buckets,
  registers,
});
export const killedWorkers = new Counter({
  name: 'worker_pool_killed_total',
  help: 'Workers that were ended because a job took too long, or that crashed.',
  labelNames: ['pool'],
  registers,
});
export const refusedWork = new Counter({
  name: 'budget_refusals_total',
  help: 'Work that was refused because its budget was used up.',
  labelNames: ['budget'],
  registers,
});
export const mailsTotal = new Counter({
  name: 'mails_total',
  help: 'Attempts to send mails, by outcome.',
  labelNames: ['outcome'],
  registers,
});
/** A series that begins with its first event has no increase. */
for (const outcome of ['sent', 'skipped', 'failed', 'rejected', 'expired']) mailsTotal.inc({ outcome }, 0);
export const domainChecksTotal = new Counter({
  name: 'domain_checks_total',
  help: 'Checks of the domains of Marks, by outcome.',
  labelNames: ['outcome'],
  registers,
});
export const webhookDeliveriesTotal = new Counter({
  name: 'webhook_deliveries_total',
  help: 'Attempts to deliver events to webhooks, by outcome.',
  labelNames: ['outcome'],
  registers,
});
export const choreFailures = new Counter({
  name: 'sweeper_failures_total',
  help: 'Chores of the sweeper that failed, by chore. Each is tried again by the next sweep.',
  labelNames: ['chore'],
  registers,
});
export const deletedEvents = new Counter({
  name: 'events_deleted_total',
  help: 'Events of the feed that were deleted because of their age.',
  registers,
});
export const mirrorFaults = new Counter({
  name: 'chain_mirror_faults_total',
  help: 'What the mirror of the chain had to correct or refuse, by reason.',
  labelNames: ['reason'],
  registers,
});
export const imageIndexQuestions = new Counter({
  name: 'image_index_questions_total',
  help: 'Codes that the index of images was searched for.',
  registers,
});
export const imageIndexPass = new Histogram({
  name: 'image_index_pass_duration_seconds',
  help: 'Passes over all codes of images. Searches that wait share one.',
  buckets,
  registers,
});
export const imageIndexFaults = new Counter({
  name: 'image_index_faults_total',
  help: 'What the index of images had to correct, by reason.',
  labelNames: ['reason'],
  registers,
});
export const logCheckpoints = new Counter({
  name: 'log_checkpoints_total',
  help: 'Checkpoints of the public log that this process has published.',
  registers,
});
export const logWitnessRequests = new Counter({
  name: 'log_witness_requests_total',
  help: 'Checkpoints that a witness was asked to sign, by outcome.',
  labelNames: ['witness', 'outcome'],
  registers,
});
export const logStopped = new Gauge({
  name: 'log_stopped',
  help: '1 while the sequencer of the public log must not sign, by reason; in the process that publishes.',
  labelNames: ['reason'],
  registers,
});
const chainTransactions = new Counter({
  name: 'chain_transactions_total',
  help: 'Transactions, by outcome.',
  labelNames: ['outcome'],
  registers,
});

/** Adds to the counter what happened since the last call, given totals that only grow. */
export function createTransactionCounter(): (totals: Readonly<Record<string, number>>) => void {
  const counted = new Map<string, number>();
  return (totals) => {
    for (const [outcome, total] of Object.entries(totals)) {
      chainTransactions.inc({ outcome }, total - (counted.get(outcome) ?? 0));
      counted.set(outcome, total);
    }
  };
}

/** A gauge without a value reports nothing, where the library's reports 0. */
export interface OptionalGauge {
  set(value: number | undefined): void;
}

export function createGauge(name: string, help: string): OptionalGauge {
  const gauge = new Gauge({ name, help, registers });
  gauge.remove();
  return {
    set(value) {
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    },
  };
}

export function createLabeledGauge<Label extends string>(
  name: string,
  help: string,
  labelNames: readonly Label[],
): Gauge<Label> {
  return new Gauge({ name, help, labelNames: [...labelNames], registers });
}

export const imageIndexSize = createGauge('image_index_images', 'Images in the index.');
export const imageIndexLoaded = createGauge('image_index_loaded', '1 while the index of images answers, otherwise 0.');

const poolWorkers = createLabeledGauge('worker_pool_workers', 'Workers of a pool.', ['pool', 'state']);
const poolQueue = createLabeledGauge('worker_pool_queued_jobs', 'Jobs that wait for a worker.', ['pool']);

interface PoolUse {
  readonly workers: number;
  readonly idle: number;
  readonly queued: number;
}

const pools = new Set<{ readonly pool: string; readonly readUse: () => PoolUse }>();

/** Returns a function that stops it. The pools of one name are added up. */
export function watchPool(pool: string, readUse: () => PoolUse): () => void {
  killedWorkers.inc({ pool }, 0);
  const entry = { pool, readUse };
  pools.add(entry);
  return () => void pools.delete(entry);
}

function collectPools(): void {
  poolWorkers.reset();
  poolQueue.reset();
  for (const { pool, readUse } of pools) {
    const { workers, idle, queued } = readUse();
    poolWorkers.inc({ pool, state: 'busy' }, workers - idle);
    poolWorkers.inc({ pool, state: 'idle' }, idle);
    poolQueue.inc({ pool }, queued);
  }
}

/** Records how long the work takes, and whether it fails. */
export async function measure<T>(
  record: (outcome: 'ok' | 'failed', seconds: number) => void,
  work: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  let outcome: 'ok' | 'failed' = 'failed';
  try {
    const result = await work();
    outcome = 'ok';
    return result;
  } finally {
    record(outcome, (performance.now() - startedAt) / 1_000);
  }
}

/** Run before the metrics are rendered, to read states. */
const collectors = new Set<() => unknown>([collectPools]);

/** Returns a function that removes it. A collector must not hang: all metrics wait for it. */
export function addCollector(collect: () => unknown): () => void {
  collectors.add(collect);
  return () => void collectors.delete(collect);
}

export async function renderMetrics(): Promise<string> {
  await Promise.all([...collectors].map((collect) => collect()));
  const texts: string[] = [];
  for (const metric of registry.getMetricsAsArray()) {
    texts.push(await registry.getSingleMetricAsString(metric.name));
    // Others have their turns: all metrics together take many milliseconds.
    await setImmediate();
  }
  return `${texts.join('\n\n')}\n`;
}

export const logUnwitnessed = createGauge(
  'log_unwitnessed_seconds',
  'How long too few witnesses have signed; in the process that publishes.',
);
export const logAnchorAge = createGauge(
  'log_anchor_age_seconds',
  'Age of the last anchor while the public log has grown since, otherwise 0; in the process that writes the chain.',
);
export const logAnchorInterval = createGauge(
  'log_anchor_interval_seconds',
  'Time between two anchors of the public log, as it is set; in the process that writes the chain.',
);
export const logPublishedSize = createGauge(
  'log_published_size',
  'Leaves that the published checkpoint covers; in the process that publishes.',
);
