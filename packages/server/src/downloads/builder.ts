// Makes a version of the downloads: reads all fingerprints, publishes the files that have changed, and signs the index.

import { createHash } from 'node:crypto';
import { DOWNLOAD_INDEX_TYPE, type DownloadIndex } from '@provenance-registry/core';
import type { DownloadRecords, FileStore, JwsSigner } from '../domain/ports/index.js';
import { signJws } from '../jws.js';
import { WorkerPool, workerFile } from '../workers/pool.js';
import type { FilterJobs } from './filterWorker.js';
import { SnapshotBuilder } from './snapshot.js';

/** A page is merged on the event loop, in a few milliseconds. */
const PAGE_SIZE = 2_000;
/** A hundred million fingerprints on a busy machine. After it, another worker may start over. */
export const TURN_MS = 600_000;
/** Longer than the turn is never useful. */
const FILTER_TIMEOUT_MS = TURN_MS;
/** A client may have read the previous index just before, and fetch hundreds of megabytes on a slow connection. */
const UNUSED_FILE_GRACE_MS = 86_400_000;

export interface BuilderOptions {
  readonly records: DownloadRecords;
  readonly files: FileStore;
  readonly signer: JwsSigner;
  readonly clock: () => Date;
  /** Identifies this worker. */
  readonly holder: string;
  /** Public URL of the service. */
  readonly registry: string;
  readonly filesUrl: string;
  /** Between two versions. */
  readonly intervalMs: number;
  readonly chain: () => Omit<DownloadIndex['chain'], 'mirroredBlock'>;
}

/** A client that fetches each version, at any time of its interval, always has one that is not out of date. */
const INTERVALS_UNTIL_NEXT = 2;

/** Another worker has taken the turn, or this one stops. */
class TurnLostError extends Error {}

/** The index, or undefined if another worker has taken the turn meanwhile. Rejects when `signal` aborts. */
export async function makeVersion(options: BuilderOptions, signal: AbortSignal): Promise<DownloadIndex | undefined> {
  try {
    const index = await buildFiles(options, signal);
    const jws = await signJws(options.signer, DOWNLOAD_INDEX_TYPE, index);
    const names = [`${index.filter.sha256}.filter`, ...index.pieces.map(({ sha256 }) => `${sha256}.snapshot`)];
    if (!(await options.records.finish(options.holder, { jws, names }))) return undefined;
    await removeUnused(options);
    return index;
  } catch (error) {
    if (error instanceof TurnLostError) return undefined;
    throw error;
  }
}

async function buildFiles(options: BuilderOptions, signal: AbortSignal): Promise<DownloadIndex> {
  const { records, holder, registry, filesUrl, intervalMs, chain } = options;
  const now = options.clock();
  // Before the first page: whatever is recorded by then is on one of the pages.
  const mirroredBlock = await records.readMirroredBlock();
  const snapshot = new SnapshotBuilder();
  const pieces: DownloadIndex['pieces'] = [];
  const publishPieces = async (built: ReturnType<SnapshotBuilder['finish']>) => {
    for (const { from, to, count, bytes } of built) {
      pieces.push({ from, to, count, ...(await publish(options, 'snapshot', bytes)) });
    }
  };
  for (let isMore = true; isMore; ) {
    signal.throwIfAborted();
    const groups = await records.listFingerprints(snapshot.last, PAGE_SIZE);
    await publishPieces(snapshot.add(groups));
    isMore = groups.length > 0;
    if (!(await records.extendTurn(holder, TURN_MS))) throw new TurnLostError();
  }
  await publishPieces(snapshot.finish());
  const { words } = snapshot.keys;
  const count = words.length / 2;
  const filter = await publish(options, 'filter', await buildFilterInThread(words, signal));
  return {
    version: 1,
    registry,
    createdAt: now.toISOString(),
    nextAt: new Date(now.getTime() + INTERVALS_UNTIL_NEXT * intervalMs).toISOString(),
    chain: { ...chain(), mirroredBlock },
    filesUrl,
    filter: { count, ...filter },
    pieces,
  };
}

async function buildFilterInThread(words: Uint32Array<ArrayBuffer>, signal: AbortSignal): Promise<Uint8Array> {
  const pool = new WorkerPool<FilterJobs>({
    file: workerFile('filterWorker'),
    maxWorkers: 1,
    jobTimeoutMs: FILTER_TIMEOUT_MS,
    maxQueuedJobs: 1,
  });
  const close = () => void pool.close();
  signal.addEventListener('abort', close);
  try {
    return await pool.run('build', words, { transferList: [words.buffer] });
  } finally {
    signal.removeEventListener('abort', close);
    await pool.close();
  }
}

/** Unless it is published already: its name is its hash. */
async function publish({ records, files }: BuilderOptions, kind: 'filter' | 'snapshot', bytes: Uint8Array) {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const name = `${sha256}.${kind}`;
  if (!(await records.addFile(name))) {
    await files.publish({ [name]: bytes });
    await records.markPublished(name);
  }
  return { sha256, size: bytes.length };
}

async function removeUnused({ records, files }: BuilderOptions): Promise<void> {
  for (const name of await records.listUnused(UNUSED_FILE_GRACE_MS)) {
    await files.remove(name);
    await records.removeFile(name);
  }
}
