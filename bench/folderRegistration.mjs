// The cost of the command line: a folder of small files registered by `provenance register`, startup and journal included,
// against the same creations as plain requests. `node bench/folderRegistration.mjs [FILES] [ROUNDS]`

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { report } from './report.mjs';
import { createFolder, generateCreations, median, openRegistry } from './support.mjs';

const [files = 2_000, rounds = 3] = process.argv.slice(2).map(Number);
const IN_FLIGHT = 8;
const WARM_UP_SECONDS = 2;
/** Creations until the verifier's WebAssembly is optimized. */
const WARM_UP = 400;

const command = fileURLToPath(new URL('../packages/cli/bundle/main.js', import.meta.url));
const folder = await createFolder();
const registry = await openRegistry();
const { markId, token } = await registry.createUser();
const url = await registry.serve();
/** @param {number} seconds */
const createDirectly = (seconds) =>
  generateCreations(`${url}/api/v1/artifacts`, { connections: IN_FLIGHT, seconds, token, markId });

let rate = 0;
for (let done = 0; done < WARM_UP; ) {
  const warmUp = await createDirectly(WARM_UP_SECONDS);
  done += warmUp.count;
  rate = warmUp.rate;
}
/** @type {{ created: number, registered: number, ratio: number }[]} */
const measured = [];
for (let round = 0; round < rounds; round += 1) {
  // Plain requests for as long as the folder takes, half before and half after, so that other load affects both alike.
  const half = files / rate / 2;
  const before = await createDirectly(half);
  const registered = await register(round);
  const after = await createDirectly(half);
  const created = (before.rate + after.rate) / 2;
  rate = created;
  measured.push({ created, registered, ratio: registered / created });
}
/** @param {keyof (typeof measured)[number]} name */
const medianOf = (name) => median(measured.map((one) => one[name]));
report({
  what: `registering a folder of ${files} files by the command`,
  measured: `${medianOf('registered').toFixed(0)}/s`,
  against: `bare requests, ${medianOf('created').toFixed(0)}/s`,
  value: medianOf('ratio'),
  target: ['at least', 0.8],
});
await registry.close();
await rm(folder, { recursive: true });

/** Returns files per second. @param {number} round */
async function register(round) {
  const photos = join(folder, String(round));
  await mkdir(photos);
  for (let file = 0; file < files; file += 1) await writeFile(join(photos, `${file}.jpg`), randomUUID());
  const env = {
    PATH: process.env['PATH'],
    PROVENANCE_URL: url,
    PROVENANCE_TOKEN: token,
    XDG_STATE_HOME: folder,
    XDG_CONFIG_HOME: folder,
  };
  const startedAt = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, [command, 'register', photos, '--json'], {
    env,
    maxBuffer: 2 ** 30,
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  const { summary } = JSON.parse(stdout);
  if (summary.registered !== files) throw new Error(`only ${summary.registered} of ${files} were registered`);
  return files / seconds;
}
