// Registers the files of a release and writes their bundles, by the `provenance` command of this repository. Runs in a job of a
// workflow: inputs are variables, results go to the files that the runner names, and standard output is read for commands.

import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @typedef {{ path: string, outcome: string, fingerprint?: string, mark?: string, reason?: string, bundle?: string }} File */

const main = fileURLToPath(new URL('../../packages/cli/bundle/main.js', import.meta.url));
const BUNDLE_SUFFIX = '.bundle.json';
/** A JSON document about some thousand files. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Exit codes of `verify`: 0 is confirmed by the pinned roots, 4 agrees with itself. */
const VERIFIED = 0;
const CONSISTENT = 4;
const WRONG_USE = 2;

/** Control characters, lone surrogates, line separators and bidirectional formatting. */
const unsafeCharacters = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

const outcomeTexts = /** @type {Readonly<Record<string, string>>} */ ({
  registered: 'registered',
  yours: 'registered before',
  others: 'registered by another user',
  refused: 'refused',
  failed: 'failed',
});

/** A message for the user; what else is thrown is a fault of this script. */
class ActionError extends Error {}

const stopToken = randomUUID();
let isStopped = false;
const folder = mkdtempSync(join(process.env['RUNNER_TEMP'] || tmpdir(), 'provenance-'));
try {
  const inputs = readInputs();
  process.stdout.write(`::add-mask::${escapeData(inputs.token)}\n`);
  // Whatever a name contains, nothing that is printed from here on is a command for the runner.
  process.stdout.write(`::stop-commands::${stopToken}\n`);
  isStopped = true;
  const paths = findFiles(inputs.patterns);
  if (inputs.registryFingerprint !== '') pinRegistry(inputs);
  const files = registerFiles(inputs, paths);
  const problems = files.flatMap(findProblem);
  const bundled = problems.length > 0 ? files : files.map((file) => ({ ...file, bundle: writeBundle(inputs, file) }));
  writeSummary(inputs, bundled);
  if (problems.length > 0) throw new ActionError(problems.join('\n'));
  writeOutputs(bundled);
} catch (error) {
  if (!(error instanceof ActionError)) throw error;
  resumeCommands();
  for (const line of error.message.split('\n')) process.stdout.write(`::error::${escapeData(line)}\n`);
  process.exitCode = 1;
} finally {
  resumeCommands();
  rmSync(folder, { recursive: true, force: true });
}

function resumeCommands() {
  if (isStopped) process.stdout.write(`::${stopToken}::\n`);
  isStopped = false;
}

function readInputs() {
  const token = readInput('TOKEN');
  if (!/^[\x21-\x7e]+$/.test(token)) throw new ActionError('The input token is missing, or not a token.');
  const patterns = readInput('FILES').split(/\r?\n/).filter(Boolean);
  if (patterns.length === 0) throw new ActionError('The input files names no files.');
  const [mark, url] = [readInput('MARK'), readInput('URL')];
  if (mark === '' || url === '') throw new ActionError('The inputs mark and url are needed.');
  return { token, patterns, mark, url, registryFingerprint: readInput('REGISTRY_FINGERPRINT') };
}

/** @param {string} name */
function readInput(name) {
  return process.env[`INPUT_${name}`]?.trim() ?? '';
}

/** @param {string[]} patterns */
function findFiles(patterns) {
  const found = patterns.flatMap((pattern) => {
    const files = expandPattern(pattern).map(requireLine);
    const chosen = files.filter((path) => !path.endsWith(BUNDLE_SUFFIX) && isFile(path));
    if (chosen.length === 0) throw new ActionError(`No file matches ${quote(pattern)}.`);
    return chosen.map((path) => normalize(path));
  });
  return [...new Set(found)];
}

/** By the shell, which does nothing else with it: variables are not expanded again. @param {string} pattern */
function expandPattern(pattern) {
  const script = `
    shopt -s nullglob
    if [[ $1 == *'**'* ]]; then shopt -s globstar || exit 1; fi
    IFS=
    files=($1)
    if ((\${#files[@]})); then printf '%s\\0' "\${files[@]}"; fi`;
  const { status, stdout } = spawnSync('bash', ['--noprofile', '--norc', '-c', script, 'bash', pattern], {
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  if (status !== 0) throw new ActionError(`${quote(pattern)} needs a bash that knows ** (version 4 or later).`);
  return stdout.split('\0').filter(Boolean);
}

/** Outputs have one path a line. @param {string} path */
function requireLine(path) {
  if (path.search(unsafeCharacters) < 0 && !path.includes('\uFFFD')) return path;
  throw new ActionError(`${quote(path)}: the name of a release file must be UTF-8 without control characters.`);
}

/** @param {string} path */
function isFile(path) {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Before the token is sent anywhere. @param {ReturnType<typeof readInputs>} inputs */
function pinRegistry({ url, registryFingerprint }) {
  runCommand(['trust', 'add', url, '--json', '--expect', registryFingerprint], { url });
  log('The registry has the expected fingerprint.');
}

/** @param {ReturnType<typeof readInputs>} inputs @param {string[]} paths @returns {File[]} in the order of the paths */
function registerFiles({ url, token, mark }, paths) {
  // A bundle needs the block of the registration.
  const args = [
    'register',
    '--json',
    '--wait',
    '--no-journal',
    '--authorship',
    'not-stated',
    '--mark',
    mark,
    '--',
    ...paths,
  ];
  const { result } = runCommand(args, { url, token, exitCodes: [0, 1, 3] });
  if (result.stopped) throw new ActionError(`The registration stopped: ${clean(result.stopped.message)}`);
  const byPath = new Map(result.files.map((/** @type {File} */ file) => [file.path, file]));
  return paths.map((path) => byPath.get(path) ?? { path, outcome: 'failed', reason: 'It has no result.' });
}

/** @param {File} file */
function findProblem({ path, outcome, mark, reason }) {
  if (outcome === 'registered' || outcome === 'yours') return [];
  if (outcome !== 'others') return [`${quote(path)}: ${clean(reason ?? outcome)}`];
  return [`${quote(path)} is registered by another user already${mark === undefined ? '' : `, under ${quote(mark)}`}.`];
}

/** A bundle of an earlier run that proves this file stays as it is. @param {ReturnType<typeof readInputs>} inputs @param {File} file */
function writeBundle(inputs, { path, fingerprint = '' }) {
  const { url, token } = inputs;
  const bundle = `${path}${BUNDLE_SUFFIX}`;
  if (existsSync(bundle) && isProven(inputs, path, bundle)) return bundle;
  const { result } = runCommand(['bundle', fingerprint, '--json', '--force', `--output=${bundle}`], { url, token });
  if (!result.block) throw new ActionError(`${quote(bundle)} has no proof: the registry names no node of its chain.`);
  if (!isProven(inputs, path, bundle)) throw new ActionError(`${quote(bundle)} does not prove ${quote(path)}.`);
  log(`${quote(bundle)}: block ${result.block.number}, ${result.block.hash}`);
  return bundle;
}

/** Asks neither the registry nor a node. @param {ReturnType<typeof readInputs>} inputs @param {string} path @param {string} bundle */
function isProven({ url, registryFingerprint }, path, bundle) {
  const { code, result } = runCommand(['verify', '--json', `--offline=${bundle}`, '--', toFileArgument(path)], {
    url,
    exitCodes: [0, 1, WRONG_USE, 3, 4],
  });
  const isAccepted = code === VERIFIED || (code === CONSISTENT && registryFingerprint === '');
  return isAccepted && result[0].checks.chain.state === 'confirmed';
}

/** A name may look like a fingerprint. @param {string} path */
function toFileArgument(path) {
  return isAbsolute(path) ? path : `./${path}`;
}

/**
 * Runs `provenance --json` with settings of its own. Without a token, none is sent.
 * @param {string[]} args
 * @param {{ url: string, token?: string, exitCodes?: number[] }} options
 */
function runCommand(args, { url, token, exitCodes = [0] }) {
  const inherited = Object.entries(process.env).filter(([variable]) => !/^(INPUT|PROVENANCE|XDG)_/.test(variable));
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [main, ...args], {
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT_BYTES,
    env: {
      ...Object.fromEntries(inherited),
      XDG_CONFIG_HOME: folder,
      XDG_STATE_HOME: folder,
      PROVENANCE_URL: url,
      ...(token !== undefined && { PROVENANCE_TOKEN: token }),
    },
  });
  if (error) throw error;
  for (const line of stderr.split('\n').filter(Boolean)) log(clean(line));
  const result = parse(stdout);
  const isExpected = status !== null && exitCodes.includes(status) && result !== undefined;
  if (isExpected && (typeof result.error !== 'string' || exitCodes.includes(WRONG_USE)))
    return { code: status, result };
  throw new ActionError(`provenance ${args[0]}: ${clean(result?.error ?? `it ended with exit code ${status}.`)}`);
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {File[]} files */
function writeOutputs(files) {
  const count = (/** @type {string} */ outcome) => String(files.filter((file) => file.outcome === outcome).length);
  const outputs = {
    fingerprints: files.map(({ fingerprint }) => fingerprint).join('\n'),
    bundles: files.map(({ bundle }) => bundle).join('\n'),
    registered: count('registered'),
    existing: count('yours'),
  };
  for (const [name, value] of Object.entries(outputs)) {
    const delimiter = randomUUID();
    appendTo('GITHUB_OUTPUT', `${name}<<${delimiter}\n${value}\n${delimiter}\n`);
  }
}

/** @param {ReturnType<typeof readInputs>} inputs @param {File[]} files */
function writeSummary({ url, registryFingerprint }, files) {
  const pinned = registryFingerprint === '' ? 'not pinned' : 'with the expected fingerprint';
  const rows = files.map(({ path, outcome, fingerprint = '', bundle = '' }) =>
    [path, fingerprint, outcomeTexts[outcome] ?? outcome, bundle].map(escapeMarkdown).join(' | '),
  );
  const table = [
    '| File | Fingerprint | Outcome | Bundle |',
    '| --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row} |`),
  ];
  const registry = `Registry: ${escapeMarkdown(url)} (${pinned})`;
  appendTo('GITHUB_STEP_SUMMARY', `### Registered release files\n\n${table.join('\n')}\n\n${registry}\n`);
}

/** @param {'GITHUB_OUTPUT' | 'GITHUB_STEP_SUMMARY'} variable @param {string} text */
function appendTo(variable, text) {
  const path = process.env[variable];
  if (path) appendFileSync(path, text);
}

/** @param {string} message */
function log(message) {
  process.stdout.write(`${message}\n`);
}

/** Of strangers, or a name: on one line, with what is not visible escaped. @param {string} text */
function clean(text) {
  return text.replaceAll(
    unsafeCharacters,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** @param {string} name */
function quote(name) {
  return `"${clean(name)}"`;
}

/** As the runner decodes it. @param {string} text */
function escapeData(text) {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Every character that could be markup, a link or a mention becomes an entity. @param {string} text */
function escapeMarkdown(text) {
  return clean(text).replaceAll(/[^\p{L}\p{N} ]/gu, (character) => `&#${character.codePointAt(0)};`);
}
