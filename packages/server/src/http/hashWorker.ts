// Runs in a worker thread: hashes files that arrive in blocks, each block going back to be filled again.

import { createHash, type Hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { HashAnswer, HashOrder } from './hashing.js';

const hashes = new Map<number, Hash>();

parentPort?.on('message', ({ id, block, length, isLast }: HashOrder) => {
  const hash = hashes.get(id) ?? createHash('sha256');
  hashes.set(id, hash);
  if (block) hash.update(new Uint8Array(block, 0, length));
  if (isLast) hashes.delete(id);
  const answer: HashAnswer = { id, block, digest: isLast ? hash.digest() : undefined };
  parentPort?.postMessage(answer, block ? [block] : []);
});
