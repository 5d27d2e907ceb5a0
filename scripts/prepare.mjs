// Installs packages and builds everything, as far as something has changed.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listPages } from './docsSite/navigation.mjs';
import { describeFiles } from './fileState.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));
/** Built by `prepare`. */
export const serverProgram = join(root, 'packages/server/bundle/main.js');

const OLDEST_NODE = [20, 19];
const libraries = [
  'packages/client/dist',
  'packages/core/dist',
  'packages/contract/dist',
  'packages/chain-client/dist',
  'packages/dev-chain/dist',
  'packages/media/dist',
  'packages/c2pa/dist',
  'packages/log/dist',
];
const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
/** A step that takes longer prints its message. */
const MESSAGE_DELAY_MS = 1_500;

/** Holds the state of all inputs and outputs after the last call of `prepareToRun`. */
const preparedStamp = join(root, 'node_modules', '.prepared');

/** As `prepare`, in a tenth of the time when no file has changed since the last call. */
export async function prepareToRun() {
  if (readText(preparedStamp) === describePrograms()) return;
  await prepare();
  writeFileSync(preparedStamp, describePrograms());
}

/** @param {{ withTestTools?: boolean }} [options] without test tools, only what building and running needs is installed */
export async function prepare({ withTestTools = false } = {}) {
  refuseOldNode();
  await install(withTestTools);
  await buildPrograms(['server', 'cli']);
  const web = ['src', 'reference', 'index.html', 'static.html', 'vite.config.ts'].map((name) => `packages/web/${name}`);
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  await buildIfChanged('packages/web/dist', [...web, ...libraries], () =>
    run('Building the page …', process.execPath, [vite, 'build', '--logLevel=warn', 'packages/web']),
  );
  if (withTestTools) {
    const extension = ['src', 'panel.html', 'options.html', 'manifest.json', 'package.json'];
    const builder = 'scripts/extension.mjs';
    const own = extension.map((name) => `packages/extension/${name}`);
    const inputs = [builder, ...own, 'packages/web/src', ...libraries];
    await buildIfChanged('packages/extension/dist', inputs, () =>
      run('Building the extension …', process.execPath, [join(root, builder)]),
    );
  }
  const docsSite = 'scripts/docsSite.mjs';
  await buildIfChanged('packages/web/dist/docs', ['docs', docsSite, 'scripts/docsSite', ...docsInputs()], () =>
    run('Building the documentation …', process.execPath, [join(root, docsSite)]),
  );
}

/** @param {string[]} programs */
async function buildPrograms(programs) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const folders = programs.map((program) => `packages/${program}`);
  await run(undefined, process.execPath, [join(root, 'scripts/generate.mjs')]);
  await run('Building …', process.execPath, [compiler, '--build', 'packages/core']);
  await run(undefined, process.execPath, [join(root, 'scripts/sdkSchemas.mjs')]);
  await run('Building …', process.execPath, [compiler, '--build', ...folders]);
  for (const program of programs) {
    const bundler = 'scripts/bundle.mjs';
    const inputs = [`packages/${program}/dist`, bundler, 'scripts/externalPackages.mjs', ...libraries];
    await buildIfChanged(`packages/${program}/bundle`, inputs, () =>
      run('Bundling …', process.execPath, [join(root, bundler), program]),
    );
  }
}

/** The state of whatever `prepare` reads or writes. */
function describePrograms() {
  const installed = ['.installed', '.installed-to-run'].map((name) => join('node_modules', name));
  const files = ['package-lock.json', 'tsconfig.base.json', ...installed, ...docsInputs()];
  const paths = ['packages', 'docs', 'scripts', ...files].map((path) => join(root, path));
  return `${process.version} ${describeFiles(paths)}`;
}

/** What the documentation takes from other folders. */
function docsInputs() {
  const pages = listPages().map(({ source }) => source);
  const others = pages.filter((source) => !source.startsWith('docs/'));
  return ['packages/web/src/ui/styles', 'packages/web/src/icon.svg', ...others];
}

/**
 * @param {string} folder the output
 * @param {string[]} inputs files and folders
 * @param {() => Promise<void>} build
 */
async function buildIfChanged(folder, inputs, build) {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  for (const input of inputs) addToHash(hash, join(root, input));
  const digest = hash.digest('hex');
  const stamp = join(root, folder, '.built');
  if (readText(stamp) === digest) return;
  await build();
  writeFileSync(stamp, digest);
}

/** @param {import('node:crypto').Hash} hash @param {string} path */
function addToHash(hash, path) {
  if (path.endsWith('.tsbuildinfo') || path.endsWith('.map')) return;
  hash.update(path);
  const stats = statSync(path, { throwIfNoEntry: false });
  // The command is built without the development chain.
  if (!stats) return;
  if (!stats.isDirectory()) hash.update(readFileSync(path));
  else for (const name of readdirSync(path).toSorted()) addToHash(hash, join(path, name));
}

/** @param {boolean} withTestTools the root's `dependencies` are what building needs, all `devDependencies` what tests need */
async function install(withTestTools) {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const complete = join(root, 'node_modules', '.installed');
  const partial = join(root, 'node_modules', '.installed-to-run');
  const stamp = withTestTools ? complete : partial;
  if (readText(complete) === lock || readText(stamp) === lock) return;
  say('Installing packages (about a minute) …');
  for (const outdated of [complete, partial]) rmSync(outdated, { force: true });
  const npm = process.env['npm_execpath'];
  const [command, ...args] = npm ? [process.execPath, npm] : ['npm'];
  // Not `npm ci`: it refuses a lock file without the optional packages of unsupported platforms.
  const options = ['--no-save', '--loglevel=error', ...(withTestTools ? ['--include=dev'] : ['--omit=dev'])];
  await run(undefined, command, [...args, 'install', ...options]);
  writeFileSync(stamp, lock);
}

/**
 * Runs a program in the repository's root; exits this process if it fails.
 * @param {Parameters<typeof runToEnd>} program
 */
export async function run(...program) {
  const code = await runToEnd(...program);
  if (code !== 0) process.exit(code);
}

/**
 * Runs a program in the repository's root, and returns its exit code.
 * @param {string | undefined} message printed if it takes long
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<number>}
 */
export async function runToEnd(message, command, args) {
  const timer = message ? setTimeout(() => say(message), MESSAGE_DELAY_MS) : undefined;
  const child = spawn(command, args, { cwd: root, stdio: 'inherit' });
  // Our parent may have sent it to us alone.
  let isStopped = false;
  const passOn = (/** @type {NodeJS.Signals} */ signal) => {
    isStopped = true;
    child.kill(signal);
  };
  for (const signal of stopSignals) process.on(signal, passOn);
  const code = await new Promise((resolve) => {
    child.once('error', (error) => {
      say(`${command}: ${error.message}`);
      resolve(1);
    });
    child.once('exit', resolve);
  });
  for (const signal of stopSignals) process.off(signal, passOn);
  clearTimeout(timer);
  // Another listener ends this process, when it has cleaned up.
  if (isStopped && stopSignals.some((signal) => process.listenerCount(signal) > 0)) await new Promise(() => {});
  return code ?? 1;
}

/** @param {string} message */
export function say(message) {
  process.stderr.write(`${message}\n`);
}

function refuseOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  say(`Node ${OLDEST_NODE.join('.')} or newer is needed; this is ${process.versions.node}.`);
  process.exit(1);
}

/** @param {string} path */
function readText(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
