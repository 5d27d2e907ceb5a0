// What it costs to be asked whose a large file is: hashed as it arrives, against `openssl` hashing it where it lies.

import { execFileSync, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { report } from './report.mjs';
import { median, openParts } from './support.mjs';

const ROUNDS = 9;
const MEGABYTES = 200;
/** Answers to programs that wait for a word before they send are not what is measured. */
const AT_ONCE = ['--silent', '--fail', '--header', 'expect:'];

if (process.send) await serve();
else await compare();

/** This file again, as a process of its own whose memory can be told from the rest. */
async function serve() {
  const parts = await openParts();
  process.once('disconnect', () => parts.close());
  process.send?.(await parts.serve());
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
  const ways = {
    openssl: () => execFileSync('openssl', ['dgst', '-sha256', path]),
    body: () => execFileSync('curl', [...AT_ONCE, ...body, '-T', path, url]),
    form: () => execFileSync('curl', [...AT_ONCE, '--form', `file=@${path}`, url]),
  };
  /** @typedef {keyof typeof ways} Way */
  const names = /** @type {Way[]} */ (Object.keys(ways));

  // With all that uploads of any size need.
  execFileSync('curl', [...AT_ONCE, ...body, '-T', small, url]);
  const idle = await memory(service.pid, 'VmRSS');
  // From here on, the peak counts anew.
  await writeFile(`/proc/${service.pid}/clear_refs`, '5');
  for (const name of names) timed(ways[name]);
  /** @type {Record<Way, number>[]} */
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push({ openssl: timed(ways.openssl), body: timed(ways.body), form: timed(ways.form) });
  }
  const peak = await memory(service.pid, 'VmHWM');

  const speed = (/** @type {Way} */ way) => (MEGABYTES / median(rounds.map((round) => round[way]))).toFixed(0);
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
function timed(work) {
  const began = performance.now();
  work();
  return (performance.now() - began) / 1000;
}

/**
 * In megabytes.
 * @param {number | undefined} pid
 * @param {'VmRSS' | 'VmHWM'} what
 */
async function memory(pid, what) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${what}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}
