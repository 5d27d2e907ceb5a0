// Registers the files of a release and writes their bundles, with the `provenance` command of this release. Runs in a job of
// a workflow: inputs are variables, results go to the files that the runner names, and standard output is read for commands.

import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  // @ts-expect-error: the types are those of Node 20; the runner starts this file with Node 24.
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, isAbsolute, join, normalize } from 'node:path';

/** @typedef {{ path: string, outcome: string, fingerprint?: string, mark?: string, reason?: string, bundle?: string }} File */
/** @typedef {{ isAuthenticated?: boolean, input?: string, exitCodes?: number[] }} CommandOptions */

const BUNDLE_SUFFIX = '.bundle.json';
/** The command has 4 MB; a runner downloads it in seconds. */
const DOWNLOAD_TIMEOUT_MS = 5 * 60 * 1000;
/** The runner's own service is nearby. */
const OPENID_TIMEOUT_MS = 30_000;
/** The OpenID token of a job expires after five minutes; each command gets a new one. */
const WAIT_SECONDS = 120;
/** A JSON document about some thousand files. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Exit codes of `verify`: 0 is confirmed by the pinned roots, 4 agrees with itself. */
const VERIFIED = 0;
const CONSISTENT = 4;
const WRONG_USE = 2;
/** Exit code of `file status --wait`: some are not on chain yet. */
const UNFINISHED = 3;

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
  for (const secret of [inputs.token, inputs.invitation]) if (secret !== '') maskSecret(secret);
  stopCommands();
  const paths = findFiles(inputs.patterns);
  await installCommand();
  if (inputs.registryFingerprint !== '') await pinRegistry(inputs);
  if (inputs.invitation !== '') await acceptInvitation(inputs);
  const files = await registerFiles(inputs, paths);
  const problems = files.flatMap(findProblem);
  if (problems.length === 0) {
    await waitForChain(inputs, files);
    for (const file of files) file.bundle = await writeBundle(inputs, file);
  }
  const report = renderReport(inputs, files);
  appendTo('GITHUB_STEP_SUMMARY', report);
  if (problems.length > 0) throw new ActionError(problems.join('\n'));
  writeOutputs(files, report);
} catch (error) {
  if (!(error instanceof ActionError)) throw error;
  resumeCommands();
  for (const line of error.message.split('\n')) log(`::error::${escapeData(line)}`);
  process.exitCode = 1;
} finally {
  resumeCommands();
  rmSync(folder, { recursive: true, force: true });
}

/** From here on nothing that is printed is a command for the runner, whatever a name contains. */
function stopCommands() {
  log(`::stop-commands::${stopToken}`);
  isStopped = true;
}

function resumeCommands() {
  if (isStopped) log(`::${stopToken}::`);
  isStopped = false;
}

/** @param {string} secret */
function maskSecret(secret) {
  log(`::add-mask::${escapeData(secret)}`);
}

function readInputs() {
  const patterns = readInput('FILES').split(/\r?\n/).filter(Boolean);
  if (patterns.length === 0) throw new ActionError('The input files names no files.');
  const [mark, url, token] = [readInput('MARK'), readInput('URL').replace(/\/+$/, ''), readInput('TOKEN')];
  if (mark === '') throw new ActionError('The input mark is missing.');
  if (!URL.canParse(url)) throw new ActionError('The input url is missing, or not a URL.');
  if (!/^[\x21-\x7e]*$/.test(token)) throw new ActionError('The input token is not a token.');
  const [invitation, registryFingerprint] = [readInput('INVITATION'), readInput('REGISTRY-FINGERPRINT')];
  return { patterns, mark, url, token, invitation, registryFingerprint };
}

/** @param {string} name */
function readInput(name) {
  return process.env[`INPUT_${name}`]?.trim() ?? '';
}

/** @param {string[]} patterns */
function findFiles(patterns) {
  const found = patterns.flatMap((pattern) => {
    /** @type {string[]} */
    const matches = globSync(pattern);
    const chosen = matches.map(requireLine).filter((path) => !path.endsWith(BUNDLE_SUFFIX) && isFile(path));
    if (chosen.length === 0) throw new ActionError(`No file matches ${quote(pattern)}.`);
    return chosen.map((path) => normalize(path)).toSorted();
  });
  return [...new Set(found)];
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

/** Downloads the command from the release of the action, and unpacks it if it is the file that this ref pins. */
async function installCommand() {
  const { version, sha256 } = JSON.parse(readFileSync(new URL('command.json', import.meta.url), 'utf8'));
  const { GITHUB_SERVER_URL: server, GITHUB_ACTION_REPOSITORY: repository } = process.env;
  const url = `${server}/${repository}/releases/download/v${version}/provenance-${version}.tgz`;
  const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) }).catch(() => undefined);
  if (!response?.ok) throw new ActionError(`The command cannot be downloaded from ${url}. Run the job again.`);
  const archive = Buffer.from(await response.arrayBuffer());
  const hash = createHash('sha256').update(archive).digest('hex');
  if (hash !== sha256) throw new ActionError(`${url} has the SHA-256 ${hash}, not ${sha256}: it was not run.`);
  writeFileSync(join(folder, 'command.tgz'), archive);
  const { status } = await runProgram('tar', ['-xzf', join(folder, 'command.tgz'), '-C', folder]);
  if (status !== 0) throw new ActionError('tar could not unpack the command.');
  log(`provenance ${version}, SHA-256 ${sha256}`);
}

/** @typedef {ReturnType<typeof readInputs>} Inputs */

/** Before a credential is sent anywhere. @param {Inputs} inputs */
async function pinRegistry(inputs) {
  const { url, registryFingerprint } = inputs;
  await runCommand(inputs, ['config', 'trust', 'add', url, '--json', '--expect', registryFingerprint]);
  log('The registry has the expected fingerprint.');
}

/** The account of the repository has no name of its own; the name is signed with each file. @param {Inputs} inputs */
async function acceptInvitation(inputs) {
  const options = { isAuthenticated: true, input: inputs.invitation };
  await runCommand(inputs, ['invitation', 'accept', '--json', '-'], options);
  await runCommand(inputs, ['account', 'name', '--json', process.env['GITHUB_REPOSITORY'] ?? ''], options);
  log('The invitation is accepted. Remove it from the workflow.');
}

/** @param {Inputs} inputs @param {string[]} paths @returns {Promise<File[]>} in the order of the paths */
async function registerFiles(inputs, paths) {
  const options = ['--json', '--no-journal', '--no-codes', '--authorship', 'not-stated', '--mark', inputs.mark];
  const { result } = await runCommand(inputs, ['register', ...options, '--', ...paths], {
    isAuthenticated: true,
    exitCodes: [0, 1, 3],
  });
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

/** Until the job's own time limit: a bundle needs the block of the registration. @param {Inputs} inputs @param {File[]} files */
async function waitForChain(inputs, files) {
  const fingerprints = files.map(({ fingerprint = '' }) => fingerprint);
  const args = ['file', 'status', '--json', '--wait', '--timeout', String(WAIT_SECONDS), '--', ...fingerprints];
  let code = UNFINISHED;
  while (code === UNFINISHED) {
    const run = await runCommand(inputs, args, { isAuthenticated: true, exitCodes: [0, 1, UNFINISHED] });
    code = run.code;
    const problems = files.flatMap(({ path }, index) => {
      const { status, error, errorReason } = run.result[index];
      return error || status === 'failed'
        ? [`${quote(path)}: ${clean(error ?? errorReason ?? 'it failed on chain.')}`]
        : [];
    });
    if (problems.length > 0) throw new ActionError(problems.join('\n'));
  }
}

/** A bundle of an earlier run that is right for this file stays as it is. @param {Inputs} inputs @param {File} file */
async function writeBundle(inputs, { path, fingerprint = '' }) {
  const bundle = `${path}${BUNDLE_SUFFIX}`;
  if (existsSync(bundle) && (await isProven(inputs, path, bundle))) return bundle;
  const args = ['file', 'bundle', fingerprint, '--json', '--force', `--output=${bundle}`];
  const { result } = await runCommand(inputs, args, { isAuthenticated: true });
  if (!result.block) throw new ActionError(`${quote(bundle)} has no proof: the registry names no node of its chain.`);
  if (!(await isProven(inputs, path, bundle))) throw new ActionError(`${quote(bundle)} does not prove ${quote(path)}.`);
  log(`${quote(bundle)}: block ${result.block.number}, ${result.block.hash}`);
  return bundle;
}

/** Asks neither the registry nor a node. @param {Inputs} inputs @param {string} path @param {string} bundle */
async function isProven(inputs, path, bundle) {
  const args = ['verify', '--json', `--bundle=${bundle}`, '--', isAbsolute(path) ? path : `./${path}`];
  const { code, result } = await runCommand(inputs, args, { exitCodes: [0, 1, WRONG_USE, 3, 4] });
  const isAccepted = code === VERIFIED || (code === CONSISTENT && inputs.registryFingerprint === '');
  // The block is not compared with anything here, but the proof must lead to one.
  return isAccepted && result[0].checks.chain.details.blockHash !== undefined;
}

/** Runs `provenance --json` with settings of its own. @param {Inputs} inputs @param {string[]} args @param {CommandOptions} [options] */
async function runCommand(inputs, args, { isAuthenticated = false, input = '', exitCodes = [0] } = {}) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(ACTIONS|INPUT|PROVENANCE|XDG)_/.test(name));
  const { status, stdout, stderr } = await runProgram(process.execPath, [join(folder, 'bundle/main.js'), ...args], {
    input,
    env: {
      ...Object.fromEntries(inherited),
      XDG_CONFIG_HOME: folder,
      XDG_STATE_HOME: folder,
      PROVENANCE_URL: inputs.url,
      ...(isAuthenticated && { PROVENANCE_TOKEN: await readCredential(inputs) }),
    },
  });
  for (const line of stderr.split('\n').filter(Boolean)) log(clean(line));
  const result = parse(stdout);
  const isExpected = exitCodes.includes(status) && result !== undefined;
  if (isExpected && (typeof result.error !== 'string' || exitCodes.includes(WRONG_USE)))
    return { code: status, result };
  throw new ActionError(`provenance ${args[0]}: ${clean(result?.error ?? `it ended with exit code ${status}.`)}`);
}

/**
 * Runs a program to its end, without blocking: connections that a server closes meanwhile must not be used again.
 * @param {string} file @param {string[]} args @param {{ env?: NodeJS.ProcessEnv, input?: string }} [options]
 * @returns {Promise<{ status: number, stdout: string, stderr: string }>}
 */
function runProgram(file, args, { env, input = '' } = {}) {
  return new Promise((resolve, reject) => {
    const child = execFile(file, args, { env, maxBuffer: MAX_OUTPUT_BYTES }, (error, stdout, stderr) => {
      const status = error === null ? 0 : error.code;
      if (typeof status === 'number') resolve({ status, stdout, stderr });
      else reject(error);
    });
    child.stdin?.end(input);
  });
}

/** The API key, or a new OpenID token of the job for this registry. @param {Inputs} inputs */
async function readCredential({ token, url }) {
  if (token !== '') return token;
  const { ACTIONS_ID_TOKEN_REQUEST_URL: address, ACTIONS_ID_TOKEN_REQUEST_TOKEN: secret } = process.env;
  if (!address || !secret)
    throw new ActionError(
      'There is no credential. Give the job "id-token: write", or set the input token to an API key.',
    );
  const response = await fetch(`${address}&audience=${encodeURIComponent(url)}`, {
    headers: { authorization: `Bearer ${secret}` },
    signal: AbortSignal.timeout(OPENID_TIMEOUT_MS),
  }).catch(() => undefined);
  const issued = response?.ok ? parse(await response.text())?.value : undefined;
  if (typeof issued !== 'string') throw new ActionError('The runner issued no OpenID token. Run the job again.');
  resumeCommands();
  maskSecret(issued);
  stopCommands();
  return issued;
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {File[]} files @param {string} report */
function writeOutputs(files, report) {
  const count = (/** @type {string} */ outcome) => String(files.filter((file) => file.outcome === outcome).length);
  const outputs = {
    fingerprints: files.map(({ fingerprint }) => fingerprint).join('\n'),
    bundles: files.map(({ bundle }) => bundle).join('\n'),
    registered: count('registered'),
    existing: count('yours'),
    'release-notes': report,
  };
  for (const [name, value] of Object.entries(outputs)) {
    const delimiter = randomUUID();
    appendTo('GITHUB_OUTPUT', `${name}<<${delimiter}\n${value}\n${delimiter}\n`);
  }
}

/** The job summary and the release notes: with the names under which readers download the files. @param {Inputs} inputs @param {File[]} files */
function renderReport({ url, registryFingerprint }, files) {
  const rows = files.map(({ path, outcome, fingerprint, bundle }) => {
    const page = fingerprint === undefined ? '' : `[${fingerprint}](${url}/artifacts/${fingerprint})`;
    const evidence = bundle === undefined ? (outcomeTexts[outcome] ?? outcome) : basename(bundle);
    return `| ${escapeMarkdown(basename(path))} | ${page} | ${escapeMarkdown(evidence)} |`;
  });
  const table = ['| File | SHA-256 | Evidence |', '| --- | --- | --- |', ...rows];
  const bundled = files.filter(({ bundle }) => bundle !== undefined);
  if (bundled.length === 0) return `### Registered files\n\n${table.join('\n')}\n`;
  const registry = quoteForShell(url);
  const isPinned = registryFingerprint !== '';
  const verify = `provenance verify${isPinned ? ` --url ${registry}` : ''} --bundle`;
  const commands = [
    ...(isPinned ? [`provenance config trust add ${registry} --expect ${quoteForShell(registryFingerprint)}`] : []),
    ...bundled.map(({ path }) => {
      const name = `./${basename(path)}`;
      return `${verify} ${quoteForShell(`${name}${BUNDLE_SUFFIX}`)} ${quoteForShell(name)}`;
    }),
  ].join('\n');
  // Longer than any in a name.
  const fence = '`'.repeat(Math.max(3, ...[...commands.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return [
    `### Registered files\n\n${table.join('\n')}`,
    'To verify a file, download it and its evidence into one folder and run its line:',
    `${fence}sh\n${commands}\n${fence}\n`,
  ].join('\n\n');
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

/** Untrusted text on one line, with what is not visible escaped. @param {string} text */
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

/** @param {string} text */
function quoteForShell(text) {
  return /^[\w.:/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** As the runner decodes it. @param {string} text */
function escapeData(text) {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Every character that could be markup, a link or a mention becomes an entity. @param {string} text */
function escapeMarkdown(text) {
  return clean(text).replaceAll(/[^\p{L}\p{N} ]/gu, (character) => `&#${character.codePointAt(0)};`);
}
