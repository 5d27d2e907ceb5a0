// Hashing speed: the SDK against `sha256sum` on the same file.

import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hashFile } from '@provenance-registry/client/node';
import { report } from './report.mjs';
import { createFolder, measureRounds, writeRandomFile } from './support.mjs';

const ROUNDS = 7;
const MEGABYTES = 512;

const folder = await createFolder();
try {
  const path = join(folder, 'file');
  await writeRandomFile(path, MEGABYTES);
  const variants = {
    sdk: () => measureRate(() => hashFile(path)),
    sha256sum: () => measureRate(async () => execFileSync('sha256sum', [path])),
  };
  // Once before the measurement, so that the file is in the page cache for both.
  for (const run of Object.values(variants)) await run();
  const rounds = await measureRounds(ROUNDS, variants);
  report({
    what: `hashing a file of ${MEGABYTES} MB by the SDK`,
    measured: `${rounds.median('sdk', 'rate').toFixed(0)} MB/s`,
    against: `sha256sum, ${rounds.median('sha256sum', 'rate').toFixed(0)} MB/s`,
    value: rounds.ratio('sdk', 'sha256sum', 'rate'),
    target: ['at least', 0.9],
  });
} finally {
  await rm(folder, { recursive: true });
}

/** @param {() => Promise<unknown>} run */
async function measureRate(run) {
  const startedAt = performance.now();
  await run();
  return { rate: (MEGABYTES * 1.048576 * 1000) / (performance.now() - startedAt) };
}
