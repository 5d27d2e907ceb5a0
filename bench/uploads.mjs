// The cost of looking up a large file by its content: hashed while it is uploaded, against `openssl` hashing it on disk.

import { execFileSync, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { report } from './report.mjs';
import { median, openRegistry } from './support.mjs';

const ROUNDS = 9;
const MEGABYTES = 200;
/** Without `Expect: 100-continue`, which would add a round trip. */
const CURL_OPTIONS = ['--silent', '--fail', '--header', 'expect:'];

if (process.send) await serve();
else await compare();

/** Runs this file as a separate process, to measure its memory alone. */
async function serve() {
  const registry = await openRegistry();
  process.once('disconnect', () => registry.close());
  process.send?.(await registry.serve());
}

async function compare() {
  const service = fork(fileURLToPath(import.meta.url));
  const [address] = await once(service, 'message');
  const url = `${address}/api/c2pa/matches/byContent`;
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const path = join(folder, 'film.mp4');
  const small = join(folder, 'clip.mp4');
  await writeRandom(path, MEGABYTES);
  await writeRandom(small, 2);

  const body = ['--request', 'POST', '--header', 'content-type: video/mp4'];
  const variants = {
    openssl: () => execFileSync('openssl', ['dgst', '-sha256', path]),
    body: () => execFileSync('curl', [...CURL_OPTIONS, ...body, '-T', path, url]),
    form: () => execFileSync('curl', [...CURL_OPTIONS, '--form', `file=@${path}`, url]),
  };
  /** @typedef {keyof typeof variants} Variant */
  const names = /** @type {Variant[]} */ (Object.keys(variants));

  // Allocates what uploads of any size need.
  execFileSync('curl', [...CURL_OPTIONS, ...body, '-T', small, url]);
  const idle = await readMegabytes(service.pid, 'VmRSS');
  // Resets the recorded peak.
  await writeFile(`/proc/${service.pid}/clear_refs`, '5');
  for (const name of names) measureSeconds(variants[name]);
  /** @type {Record<Variant, number>[]} */
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({
      openssl: measureSeconds(variants.openssl),
      body: measureSeconds(variants.body),
      form: measureSeconds(variants.form),
    });
  }
  const peak = await readMegabytes(service.pid, 'VmHWM');

  const speed = (/** @type {Variant} */ way) => (MEGABYTES / median(rounds.map((round) => round[way]))).toFixed(0);
  for (const [way, what] of /** @type {const} */ ([
    ['body', 'as the body'],
    ['form', 'in a form'],
  ])) {
    report({
      what: `upload: byContent of ${MEGABYTES} MB ${what}`,
      measured: `${speed(way)} MB/s`,
      against: `openssl dgst -sha256, ${speed('openssl')} MB/s`,
      value: median(rounds.map((round) => round.openssl / round[way])),
      target: ['at least', 0.7],
    });
  }
  report({
    what: 'memory for these uploads, MB more than for one of 2 MB',
    measured: `${(peak - idle).toFixed(0)} MB`,
    value: peak - idle,
    target: ['at most', 64],
  });
  service.disconnect();
  await once(service, 'exit');
  await rm(folder, { recursive: true });
}

/**
 * @param {string} path
 * @param {number} megabytes
 */
async function writeRandom(path, megabytes) {
  const file = await open(path, 'w');
  for (let written = 0; written < megabytes; written += 1) await file.write(randomBytes(1024 * 1024));
  await file.close();
}

/** @param {() => unknown} work */
function measureSeconds(work) {
  const startedAt = performance.now();
  work();
  return (performance.now() - startedAt) / 1000;
}

/**
 * @param {number | undefined} pid
 * @param {'VmRSS' | 'VmHWM'} what
 */
async function readMegabytes(pid, what) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${what}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}
