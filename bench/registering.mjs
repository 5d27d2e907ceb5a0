// What the command line costs on top of the service: a folder of small files registered by `provenance register`, its
// start and its journal included, against the same creations sent as fast as the service takes them.
// `node bench/registering.mjs [FILES] [ROUNDS]`

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { report } from './report.mjs';
import { load, median, openParts } from './support.mjs';

const [files = 2_000, rounds = 3] = process.argv.slice(2).map(Number);
const IN_FLIGHT = 8;
const WARM_UP_SECONDS = 2;
/** Until then the verifier's WebAssembly is still being optimised. */
const WARM_UP = 400;

const command = fileURLToPath(new URL('../packages/cli/bundle/main.js', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'bench-'));
const parts = await openParts();
const { markId, token } = await parts.person();
const url = await parts.serve();
const body = { markId, fingerprint: '{fingerprint}', filename: 'photo.jpg' };
/** @param {number} seconds */
const creating = (seconds) => load(`${url}/api/v1/artifacts`, { connections: IN_FLIGHT, seconds, token, body });

let rate = 0;
for (let done = 0; done < WARM_UP; ) {
  const warm = await creating(WARM_UP_SECONDS);
  done += warm.count;
  rate = warm.rate;
}
/** @type {{ created: number, registered: number, ratio: number }[]} */
const measured = [];
for (let round = 0; round < rounds; round += 1) {
  // As long as the folder takes, half of it before and half after: what else the machine does falls on both sides alike.
  const half = files / rate / 2;
  const before = await creating(half);
  const registered = await register(round);
  const after = await creating(half);
  const created = (before.rate + after.rate) / 2;
  rate = created;
  measured.push({ created, registered, ratio: registered / created });
}
/** @param {keyof (typeof measured)[number]} name */
const typical = (name) => median(measured.map((one) => one[name]));
report({
  what: `registering a folder of ${files} files by the command`,
  measured: `${typical('registered').toFixed(0)}/s`,
  against: `bare requests, ${typical('created').toFixed(0)}/s`,
  value: typical('ratio'),
  target: ['at least', 0.8],
});
await parts.close();
await rm(folder, { recursive: true });

/**
 * Files a second.
 * @param {number} round
 */
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
  const began = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, [command, 'register', photos, '--json'], {
    env,
    maxBuffer: 2 ** 30,
  });
  const seconds = (performance.now() - began) / 1_000;
  const { summary } = JSON.parse(stdout);
  if (summary.registered !== files) throw new Error(`only ${summary.registered} of ${files} were registered`);
  return files / seconds;
}
