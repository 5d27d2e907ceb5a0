// Hashing speed: the SDK against `sha256sum` on the same file.

import { execFileSync } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashFile } from '@provenance-registry/client/node';
import { report } from './report.mjs';
import { median } from './support.mjs';

const ROUNDS = 7;
const MEGABYTES = 512;

const folder = await mkdtemp(join(tmpdir(), 'registry-bench-'));
try {
  const path = join(folder, 'file');
  await writeRandomFile(path);
  const variants = { sdk: () => hashFile(path), sha256sum: async () => execFileSync('sha256sum', [path]) };
  // Once before the measurement, so that the file is in the page cache for both.
  for (const run of Object.values(variants)) await run();
  /** @type {{ sdk: number, sha256sum: number }[]} */
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({ sdk: await measureRate(variants.sdk), sha256sum: await measureRate(variants.sha256sum) });
  }
  const medianRate = (/** @type {'sdk' | 'sha256sum'} */ name) => median(rounds.map((round) => round[name])).toFixed(0);
  report({
    what: `hashing a file of ${MEGABYTES} MB by the SDK`,
    measured: `${medianRate('sdk')} MB/s`,
    against: `sha256sum, ${medianRate('sha256sum')} MB/s`,
    value: median(rounds.map(({ sdk, sha256sum }) => sdk / sha256sum)),
    target: ['at least', 0.9],
  });
} finally {
  await rm(folder, { recursive: true });
}

/** @param {() => Promise<unknown>} run */
async function measureRate(run) {
  const startedAt = performance.now();
  await run();
  return (MEGABYTES * 1.048576 * 1000) / (performance.now() - startedAt);
}

/** @param {string} path */
async function writeRandomFile(path) {
  const file = await open(path, 'w');
  const chunk = Buffer.alloc(1024 * 1024);
  for (let written = 0; written < MEGABYTES; written += 1) await file.write(randomFillSync(chunk));
  await file.close();
}
