// Cold starts of `provenance verify`: of a signed JPEG with a running service, and of a file with its bundle offline, against
// a process of c2pa-python that reads the same signed JPEG; and beside them what a process of Node takes to do no more than that.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createClient, makeBundle, signFile, waitForStatus } from '@provenance-registry/client';
import { hashFile } from '@provenance-registry/client/node';
import sharp from 'sharp';
import { report } from './report.mjs';
import { createFolder, measureRounds, openRegistry } from './support.mjs';

const ROUNDS = 20;
const PACKAGE = 'c2pa-python==0.38.1';
const READ_WITH_PYTHON = `
import c2pa, sys
with open(sys.argv[1], "rb") as file:
    print(c2pa.Reader("image/jpeg", file).json())`;
const READ_WITH_NODE = `
import { readFile } from 'node:fs/promises';
const [, glue, binary, file] = process.argv;
const { initSync, WasmReader } = await import(glue);
initSync({ module: await WebAssembly.compile(await readFile(new URL(binary))) });
const reader = await WasmReader.fromBytes('application/octet-stream', await readFile(file), '{}');
console.log(reader.json());`;
/** Ends with the exit code, and the CPU times of the shell and of what it ran. */
const WITH_TIMES = '"$@"; code=$?; echo; echo $code; times';
/** The same as in the command. */
const WASM_FLAGS = ['--wasm-lazy-validation', '--wasm-tiering-budget=50000000'];
/** Exit code of a file that is consistent, and not independently confirmed. */
const CONSISTENT = 4;

const run = promisify(execFile);
const command = fileURLToPath(new URL('../packages/cli/bundle/main.js', import.meta.url));
const python = await installPython();
const folder = await createFolder();
const registry = await openRegistry();
try {
  const { markId, token } = await registry.createUser();
  const url = await registry.serve();
  const photo = join(folder, 'photo.jpg');
  const signed = join(folder, 'signed.jpg');
  const bundle = join(folder, 'bundle.json');
  const content = await drawPhoto();
  await writeFile(photo, content);
  const client = createClient({ baseUrl: url, credential: token });
  const { fingerprint } = await hashFile(photo);
  const { image } = await signFile(client, { markId, fingerprint, file: new Blob([content]), filename: 'photo.jpg' });
  await writeFile(signed, image);
  await waitForStatus(client, fingerprint);
  await writeFile(bundle, JSON.stringify(await makeBundle(fingerprint, { client })));
  const env = { PATH: process.env['PATH'], PROVENANCE_URL: url, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder };
  /** @param {string[]} args */
  const verify = (...args) => measure(process.execPath, [command, 'verify', ...args], env, CONSISTENT);
  const rounds = await measureRounds(ROUNDS, {
    signed: () => verify(signed),
    offline: () => verify('--bundle', bundle, photo),
    least: () => measure(process.execPath, readWithNode(signed), env, 0),
    python: () => measure(python, ['-c', READ_WITH_PYTHON, signed], env, 0),
  });
  for (const [name, what, limit] of /** @type {const} */ ([
    ['signed', 'cold `verify` of a signed JPEG', 4],
    ['offline', 'cold `verify` of a file with its bundle', 3],
    ['least', 'the least that Node can do: reading the signed JPEG with c2pa-rs', undefined],
  ])) {
    for (const [field, kind, target] of /** @type {const} */ ([
      ['ms', '', limit],
      ['cpuMs', ', CPU', undefined],
    ])) {
      report({
        what: `${what}${kind}`,
        measured: `${rounds.median(name, field).toFixed(0)} ms`,
        against: `a process of c2pa-python, ${rounds.median('python', field).toFixed(0)} ms`,
        value: rounds.ratio(name, 'python', field),
        ...(target !== undefined && { target: ['at most', target] }),
      });
    }
  }
} finally {
  await registry.close();
  await rm(folder, { recursive: true });
}

/** @param {string} file */
function readWithNode(file) {
  const modules = ['@contentauth/c2pa-wasm', '@contentauth/c2pa-wasm/c2pa.wasm'].map((name) =>
    import.meta.resolve(name),
  );
  return [...WASM_FLAGS, '--input-type=module', '-e', READ_WITH_NODE, ...modules, file];
}

/** Like a photo from a camera, in size and detail. */
function drawPhoto() {
  const noise = { type: /** @type {const} */ ('gaussian'), mean: 128, sigma: 20 };
  return sharp({ create: { width: 1600, height: 1200, channels: 3, background: 'white', noise } })
    .jpeg()
    .toBuffer();
}

/** @param {string} program @param {string[]} args @param {NodeJS.ProcessEnv} env @param {number} exitCode */
async function measure(program, args, env, exitCode) {
  const startedAt = performance.now();
  const { stdout, stderr } = await run('sh', ['-c', WITH_TIMES, 'sh', program, ...args], { env, maxBuffer: 2 ** 24 });
  const ms = performance.now() - startedAt;
  const [, code, ...times] = /\n(\d+)\n.*\n(\d+)m([\d.]+)s (\d+)m([\d.]+)s\n$/.exec(stdout) ?? [];
  if (Number(code) !== exitCode) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
  const [userMinutes = 0, user = 0, systemMinutes = 0, system = 0] = times.map(Number);
  return { ms, cpuMs: ((userMinutes + systemMinutes) * 60 + user + system) * 1000 };
}

/** An environment with c2pa-python, made once. */
async function installPython() {
  const environment = fileURLToPath(new URL('../node_modules/.cache/c2pa-python', import.meta.url));
  const program = join(environment, 'bin/python');
  const stamp = join(environment, PACKAGE);
  if (existsSync(stamp)) return program;
  await run('python3', ['-m', 'venv', '--clear', environment]);
  await run(program, ['-m', 'pip', 'install', '--quiet', PACKAGE]);
  await writeFile(stamp, '');
  return program;
}
