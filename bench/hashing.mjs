// Hashing: the SDK and the command against `sha256sum` on the same files.

import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hashFile } from '@provenance-registry/client/node';
import { report } from './report.mjs';
import { createFolder, measureRounds, writeRandomFile } from './support.mjs';

const ROUNDS = 7;
const MEGABYTES = 512;
const SMALL_FILES = 2_000;
const SMALL_FILE_BYTES = 16_384;
const command = fileURLToPath(new URL('../packages/cli/bundle/main.js', import.meta.url));

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

  const paths = Array.from({ length: SMALL_FILES }, (_, index) => join(folder, `small-${index}`));
  for (const small of paths) await writeFile(small, randomBytes(SMALL_FILE_BYTES));
  const programs = {
    command: () => measureCpu(process.execPath, command, 'hash', ...paths),
    sha256sum: () => measureCpu('sha256sum', ...paths),
  };
  for (const run of Object.values(programs)) await run();
  const smallRounds = await measureRounds(ROUNDS, programs);
  report({
    what: `CPU time to hash ${SMALL_FILES} files of ${SMALL_FILE_BYTES / 1024} kB by the command`,
    measured: `${smallRounds.median('command', 'cpuMs').toFixed(0)} ms`,
    against: `sha256sum, ${smallRounds.median('sha256sum', 'cpuMs').toFixed(0)} ms`,
    value: smallRounds.ratio('command', 'sha256sum', 'cpuMs'),
    target: ['at most', 2.5],
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

/** User and system time of a process, as bash measures it. @param {string[]} words */
async function measureCpu(...words) {
  const script = 'TIMEFORMAT="%U %S"; time "$@" > /dev/null';
  // Node reads all certificates of NODE_EXTRA_CA_CERTS at its start.
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const { stderr } = await promisify(execFile)('bash', ['-c', script, 'bash', ...words], { env });
  const [user = 0, system = 0] = stderr.trim().split(' ').map(Number);
  return { cpuMs: (user + system) * 1000 };
}
