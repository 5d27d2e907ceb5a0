// Sends creations in batches: whatever is ready when a request may be sent goes into it, so that no file waits for others.
// The first requests have one file each; batches grow as long as they are quick, so that a stopped run ends soon, and start
// again with one file after a failure. A service without batches gets single files.

import { setImmediate } from 'node:timers/promises';
import {
  ApiError,
  InvalidResponseError,
  type RegistrationInput,
  type RegistryClient,
  requireArtifact,
} from '@provenance-registry/client';
import { type Artifact, limitConcurrency, MAX_BATCH_ITEMS } from '@provenance-registry/core';
import type { StopController } from './stopController.js';

export interface CreationBatcherOptions {
  readonly client: Pick<RegistryClient, 'createArtifact' | 'createArtifacts' | 'getArtifact'>;
  readonly stopController: StopController;
  /** Requests in parallel. */
  readonly concurrency: number;
}

/** A batch that takes longer is followed by smaller ones. After Ctrl-C, pending requests end about as soon. */
const MAX_BATCH_MS = 1000;
/** Only a quicker batch is followed by larger ones: twice the files may take twice the time. */
const QUICK_BATCH_MS = 400;
/** These concern the caller: single requests would get the same. */
const CALLER_STATUSES = new Set([401, 403]);

interface Creation {
  readonly input: RegistrationInput & { readonly idempotencyKey: string };
  readonly onSend: () => void;
  readonly resolve: (artifact: Artifact) => void;
  readonly reject: (error: unknown) => void;
}

/** `failed`: the service did not respond as it should. */
type Outcome = 'done' | 'refused' | 'failed';

export function createCreationBatcher({ client, stopController: { signal }, concurrency }: CreationBatcherOptions) {
  const limit = limitConcurrency(concurrency, Number.POSITIVE_INFINITY, () => new Error('the queue is unlimited'));
  const waiting: Creation[] = [];
  let batchSize = 1;
  let maxBatchSize = MAX_BATCH_ITEMS;
  /** No more files than all requests take: while the service does not respond, the others are not even sent. */
  const limitFiles = limitConcurrency(
    () => concurrency * batchSize,
    Number.POSITIVE_INFINITY,
    () => new Error('the queue is unlimited'),
  );

  async function sendWaiting(): Promise<void> {
    // Whatever is ready in this turn of the event loop belongs to the batch.
    await setImmediate();
    const batch = waiting.splice(0, batchSize);
    const startedAt = performance.now();
    const outcome = await (batch.length > 1 ? sendBatch(batch) : sendSingle(batch));
    adaptBatchSize(batch.length, outcome, performance.now() - startedAt);
  }

  function adaptBatchSize(sentFiles: number, outcome: Outcome, tookMs: number): void {
    if (outcome === 'failed') batchSize = 1;
    // Requests that were sent before the last change tell nothing about the current size.
    else if (sentFiles !== batchSize || outcome === 'refused') return;
    // Two files in one request take hardly longer than one, however slow the service is.
    else if (tookMs < QUICK_BATCH_MS || batchSize === 1) batchSize = Math.min(2 * batchSize, maxBatchSize);
    else if (tookMs > MAX_BATCH_MS) batchSize = Math.floor(batchSize / 2);
  }

  async function sendSingle([creation]: readonly Creation[]): Promise<Outcome> {
    if (!creation) return 'done';
    const { idempotencyKey, ...input } = creation.input;
    return settle(creation, async () => {
      signal.throwIfAborted();
      creation.onSend();
      return client.createArtifact(input, { idempotencyKey });
    });
  }

  async function sendBatch(batch: readonly Creation[]): Promise<Outcome> {
    try {
      const { results } = await requestResults(batch);
      for (const { onSend } of batch) onSend();
      const settled = batch.map((creation, index) =>
        settle(creation, async () => requireArtifact(results[index] ?? { status: 0 })),
      );
      const outcomes = await Promise.all(settled);
      return outcomes.find((outcome) => outcome === 'failed') ?? outcomes.find((one) => one === 'refused') ?? 'done';
    } catch (error) {
      if (isRefusedAsBatch(error)) sendSingly(batch);
      else for (const { reject } of batch) reject(error);
      return 'failed';
    }
  }

  function requestResults(batch: readonly Creation[]): ReturnType<RegistryClient['createArtifacts']> {
    signal.throwIfAborted();
    return client.createArtifacts({ artifacts: batch.map(({ input }) => input) });
  }

  /** What the batch has registered all the same is recognized by its keys. */
  function sendSingly(batch: readonly Creation[]): void {
    maxBatchSize = 1;
    for (const creation of batch) queue(creation);
  }

  function queue(creation: Creation): void {
    waiting.push(creation);
    // Each may find that the one before it has sent everything.
    void limit(sendWaiting);
  }

  return {
    /** Files that the next request takes at most. */
    batchSize: () => batchSize,
    /** Runs the work of a file, retries included, when its turn has come. */
    limitFiles,
    /** @param onSend called when the file is sent; also for retries of the same file */
    createArtifact: (input: Creation['input'], onSend: () => void): Promise<Artifact> =>
      new Promise((resolve, reject) => queue({ input, onSend, resolve, reject })),
    getArtifact: ((input, options) =>
      limit(() => client.getArtifact(input, options))) satisfies RegistryClient['getArtifact'],
  };
}

async function settle({ resolve, reject }: Creation, create: () => Promise<Artifact>): Promise<Outcome> {
  try {
    resolve(await create());
    return 'done';
  } catch (error) {
    reject(error);
    if (!(error instanceof ApiError)) return 'failed';
    // Registered already.
    return error.code === 'CONFLICT' ? 'done' : 'refused';
  }
}

/** Whether the batch was refused by an earlier version of the service, or by a proxy that limits the size of requests. */
function isRefusedAsBatch(error: unknown): boolean {
  return error instanceof ApiError ? !CALLER_STATUSES.has(error.status) : error instanceof InvalidResponseError;
}
