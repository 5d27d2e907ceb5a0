// How much one client delays others: 32 connections send the dearest request of an operation, again and again, while another
// client at another address looks files up and registers some. Against the same without, in the same run. Where that takes
// longer than it should, the same requests are sent to a path that does not exist: what they cost others there, they cost by
// arriving, and because the clients share the cores of the service.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { dearestInputs } from './dearestInputs.mjs';
import { withFilledService } from './filledService.mjs';
import { printTable, selectOperations, sendRequest } from './operations.mjs';
import { formatValue, report } from './report.mjs';
import { createFolder } from './support.mjs';

const CONNECTIONS = 32;
/** Of the client with many connections; the other one is at 127.0.0.1. */
const CLIENT_ADDRESS = '127.0.0.2';
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 4);
const IDLE_SECONDS = 1;
const WARM_UP_SECONDS = 8;
const targets = { lookup: 3, creation: 5 };
/** Pause of the other client between two requests of a kind. */
const PAUSE_MS = 2;

const UNKNOWN_PATH = '/unknown';

const [, , id, url, fixtureFile, path] = process.argv;
if (id !== undefined && url !== undefined)
  await sendMany(id, url, JSON.parse(readFileSync(String(fixtureFile), 'utf8')), path);
else await measureAll();

/** @typedef {{ lookup: number[], creation: number[] }} Times in milliseconds */
/** @typedef {{ id: string, times: Times, sent: string, floor: Times | undefined }} Result */

/** @typedef {Parameters<Parameters<typeof withFilledService>[0]>[0]} FilledService */

async function measureAll() {
  const folder = await createFolder();
  const file = join(folder, 'fixture.json');
  try {
    await withFilledService((service) => measureService(service, file));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** @param {FilledService} service @param {string} file for what requests refer to */
async function measureService(service, file) {
  writeFileSync(file, JSON.stringify(service.fixture));
  /** @type {Times} */
  const idle = { lookup: [], creation: [] };
  await measure(service, WARM_UP_SECONDS);
  /** @type {Result[]} */
  const results = [];
  for (const operation of selectOperations(Object.keys(dearestInputs))) {
    await delay(500);
    const alone = await measure(service, IDLE_SECONDS);
    idle.lookup.push(...alone.lookup);
    idle.creation.push(...alone.creation);
    const { times, sent } = await measureUnder(service, [operation, service.url, file]);
    const isSlow = ratio(times, idle, 'lookup') > targets.lookup || ratio(times, idle, 'creation') > targets.creation;
    const floor = isSlow ? await measureUnder(service, [operation, service.url, file, UNKNOWN_PATH]) : undefined;
    results.push({ id: operation, times, sent, floor: floor?.times });
    console.error(`${operation}: ${describe(times, idle, 'lookup')}, ${describe(times, idle, 'creation')}, ${sent}`);
    if (floor)
      console.error(`  floor: ${describe(floor.times, idle, 'lookup')}, ${describe(floor.times, idle, 'creation')}`);
  }
  summarize(results, idle);
}

/** The other client, while a process of its own sends the requests. @param {FilledService} service @param {string[]} args */
async function measureUnder(service, args) {
  const load = spawn(process.execPath, [fileURLToPath(import.meta.url), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let sent = '';
  load.stdout.on('data', (text) => {
    sent += text;
  });
  await once(load.stdout, 'data');
  sent = '';
  const times = await measure(service, SECONDS);
  const ended = once(load, 'close');
  load.stdin.end();
  await ended;
  return { times, sent };
}

/** @param {Times} times @param {Times} idle @param {keyof Times} kind */
function describe(times, idle, kind) {
  const [p99, alone] = [percentile(times[kind]), percentile(idle[kind])];
  return `${kind} ${p99.toFixed(1)} ms, ${formatValue(p99 / alone)} × ${alone.toFixed(1)}`;
}

/** @param {Times} times @param {Times} other @param {keyof Times} kind */
function ratio(times, other, kind) {
  return percentile(times[kind]) / percentile(other[kind]);
}

/** @param {Result[]} results @param {Times} idle */
function summarize(results, idle) {
  const kinds = /** @type {const} */ (['lookup', 'creation']);
  results.sort((one, other) => ratio(other.times, idle, 'lookup') - ratio(one.times, idle, 'lookup'));
  printTable(
    ['Operation', ...kinds.flatMap((kind) => [`${kind}s, p99`, '× idle', 'floor']), 'Responses to the 32 connections'],
    results.map(({ id: operation, times, sent, floor }) => [
      operation,
      ...kinds.flatMap((kind) => [
        `${percentile(times[kind]).toFixed(1)} ms`,
        formatValue(ratio(times, idle, kind)),
        floor ? `${percentile(floor[kind]).toFixed(1)} ms` : '',
      ]),
      sent,
    ]),
  );
  for (const kind of kinds) {
    const worst = results.toSorted((one, other) => ratio(other.times, idle, kind) - ratio(one.times, idle, kind))[0];
    if (!worst) continue;
    report({
      what: `${kind}s of others while 32 connections send the dearest request of one operation, p99`,
      measured: `${percentile(worst.times[kind]).toFixed(1)} ms (${worst.id})`,
      against: `without them, ${percentile(idle[kind]).toFixed(1)} ms`,
      value: ratio(worst.times, idle, kind),
      target: ['at most', targets[kind]],
    });
  }
}

/** @param {number[]} times */
function percentile(times) {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;
}

/** Requests of the other client. @param {FilledService} service @param {number} seconds @returns {Promise<Times>} */
async function measure({ url: service, other: { token, values } }, seconds) {
  const lookup = {
    method: 'GET',
    path: `/api/c2pa/matches/byBinding?${new URLSearchParams({ alg: 'com.service.sha256', value: String(values.value) })}`,
    headers: {},
    body: [],
  };
  const creation = () => {
    const fingerprint = `0x${randomBytes(32).toString('hex')}`;
    const body = Buffer.from(JSON.stringify({ markId: values.markId, fingerprint, filename: 'photo.jpg' }));
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': body.length,
    };
    return { method: 'POST', path: '/api/v1/artifacts', headers, body: [body] };
  };
  const end = performance.now() + seconds * 1_000;
  const [lookups, creations] = await Promise.all([
    repeat(service, end, () => lookup, 200),
    repeat(service, end, creation, 201),
  ]);
  return { lookup: lookups, creation: creations };
}

/**
 * One after the other; at least one, which may take longer.
 * @param {string} service
 * @param {number} end
 * @param {() => import('./dearestInputs.mjs').DearRequest} create
 * @param {number} expected status
 */
async function repeat(service, end, create, expected) {
  const times = [];
  do {
    const start = performance.now();
    const { status } = await sendRequest(service, create());
    // A refusal is as bad as no response at all.
    times.push(status === expected ? performance.now() - start : Number.POSITIVE_INFINITY);
    await delay(PAUSE_MS);
  } while (performance.now() < end);
  return times;
}

/**
 * Runs in a process of its own, until its input ends; then prints how many responses had which status.
 * @param {string} operation
 * @param {string} service
 * @param {import('./dearestInputs.mjs').Fixture} fixture
 * @param {string} [otherPath] instead of the operation's
 */
async function sendMany(operation, service, fixture, otherPath) {
  /** @type {Map<number | string, number>} */
  const statuses = new Map();
  let isOver = false;
  process.stdin.resume().once('end', () => {
    isOver = true;
    // What has not been answered by then is of no interest.
    setTimeout(finish, 2_000).unref();
  });
  const finish = () => {
    const counts = [...statuses].sort().map(([status, count]) => `${count} × ${status}`);
    process.stdout.write(counts.join(', '), () => process.exit());
  };
  const connections = Array.from({ length: CONNECTIONS }, async () => {
    while (!isOver) {
      const request = dearestInputs[operation]?.(fixture);
      if (!request) throw new Error(`no input for ${operation}`);
      const sent = { ...request, ...(otherPath !== undefined && { path: otherPath }) };
      const status = await sendRequest(service, sent, CLIENT_ADDRESS).then(
        (response) => response.status,
        () => 'failed',
      );
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  process.stdout.write('started');
  await Promise.all(connections);
  finish();
}
