// Worker thread that hashes uploads block by block and gives each block back to be filled again.

import { createHash, type Hash } from 'node:crypto';
import { serveJobs, TransferredResult } from '../../workers/jobs.js';

interface Block {
  readonly stream: number;
  readonly isFirst: boolean;
  readonly block: ArrayBuffer;
  readonly length: number;
}

const hashes = new Map<number, Hash>();

function update({ stream, isFirst, block, length }: Block): TransferredResult<ArrayBuffer> {
  if (isFirst) hashes.set(stream, createHash('sha256'));
  findHash(stream).update(new Uint8Array(block, 0, length));
  return new TransferredResult(block, [block]);
}

function digest(stream: number): Uint8Array {
  const hash = findHash(stream);
  hashes.delete(stream);
  return hash.digest();
}

function abandon(stream: number): void {
  hashes.delete(stream);
}

/** A worker that replaces a crashed one lacks its streams: they must fail instead of getting a wrong digest. */
function findHash(stream: number): Hash {
  const hash = hashes.get(stream);
  if (!hash) throw new Error('the hash of this upload was lost');
  return hash;
}

const jobs = { update, digest, abandon };
export type HashJobs = typeof jobs;
serveJobs(jobs);
