// How much one client delays others: 32 connections send the dearest request of an operation, again and again, while another
// client at another address looks files up and registers some. Against the same without, in the same run; and against a floor,
// 32 connections that send a request that does nothing: what those cost others, the machine costs them, whose cores are shared
// by the service, its database and both clients. How busy the cores were is part of the result.

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
import { createFolder, median } from './support.mjs';

const CONNECTIONS = 32;
/** Of the client with many connections; the other one is at 127.0.0.1. */
const CLIENT_ADDRESS = '127.0.0.2';
/** The medians of their figures: what other machines on the same hardware take does not repeat. */
const ROUNDS = 3;
const SECONDS = 2;
const IDLE_SECONDS = 1;
const WARM_UP_SECONDS = 8;
const targets = { lookup: 3, creation: 5 };
const kinds = /** @type {const} */ (['lookup', 'creation']);
/** Pause of the other client between two requests of a kind. */
const PAUSE_MS = 2;

/** The operation that does nothing. */
const FLOOR = 'getHealth';
/** Until less than this part of the machine's CPU time is used, but not longer than ten seconds. */
const IDLE_PART = 0.2;
const IDLE_CHECK_MS = 200;
const MAX_IDLE_CHECKS = 50;

const [, , id, url, fixtureFile] = process.argv;
if (id !== undefined && url !== undefined)
  await sendMany(id, url, JSON.parse(readFileSync(String(fixtureFile), 'utf8')));
else await measureAll();

/** @typedef {{ lookup: number[], creation: number[] }} Times in milliseconds */
/** @typedef {{ times: Times, sent: string, cpu: string }} Load */
/** @typedef {{ idle: Times, floor: Load, load: Load }} Round */
/** @typedef {{ id: string, rounds: Round[] }} Result */

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
  await measure(service, WARM_UP_SECONDS);
  /** @type {Result[]} */
  const results = [];
  for (const operation of selectOperations(Object.keys(dearestInputs))) {
    /** @type {Round[]} */
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await untilIdle(service);
      const idle = await measure(service, IDLE_SECONDS);
      const floor = await measureUnder(service, [FLOOR, service.url, file]);
      await untilIdle(service);
      rounds.push({ idle, floor, load: await measureUnder(service, [operation, service.url, file]) });
    }
    results.push({ id: operation, rounds });
    console.error(`${operation}: ${kinds.map((kind) => describe(rounds, kind)).join(', ')}; ${describeLoad(rounds)}`);
  }
  summarize(results);
}

/** The other client, while a process of its own sends the requests. @param {FilledService} service @param {string[]} args @returns {Promise<Load>} */
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
  const before = readCpu(service.pid);
  const times = await measure(service, SECONDS);
  const cpu = describeCpu(before, readCpu(service.pid));
  const ended = once(load, 'close');
  load.stdin.end();
  await ended;
  return { times, sent, cpu };
}

/** CPU seconds of the machine, and of the service without its workers. @param {number | undefined} pid */
function readCpu(pid) {
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softirq = 0, stolen = 0] =
    readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/ +/).slice(1).map(Number) ?? [];
  const [, , ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) | /);
  const busy = user + nice + system + irq + softirq;
  return { busy, stolen, all: busy + idle + wait + stolen, service: Number(fields[11]) + Number(fields[12]) };
}

/** @param {ReturnType<typeof readCpu>} before @param {ReturnType<typeof readCpu>} after */
function describeCpu(before, after) {
  const percent = (/** @type {'busy' | 'stolen' | 'service'} */ part) =>
    `${Math.round((100 * (after[part] - before[part])) / (after.all - before.all))} %`;
  return `${percent('busy')}, service ${percent('service')}, stolen ${percent('stolen')}`;
}

/** Resolves when the service has finished what was requested before. @param {FilledService} service */
async function untilIdle({ pid }) {
  for (let checks = 0; checks < MAX_IDLE_CHECKS; checks += 1) {
    const before = readCpu(pid);
    await delay(IDLE_CHECK_MS);
    const after = readCpu(pid);
    if (after.busy - before.busy < IDLE_PART * (after.all - before.all)) return;
  }
}

/** @param {Round[]} rounds @param {keyof Times} kind @param {'idle' | 'floor'} other */
function ratioTo(rounds, kind, other) {
  const timesOf = (/** @type {Round} */ round) => (other === 'idle' ? round.idle : round.floor.times);
  return median(rounds.map((round) => percentile(round.load.times[kind]) / percentile(timesOf(round)[kind])));
}

/** @param {Round[]} rounds @param {keyof Times} kind */
function medianOf(rounds, kind) {
  return median(rounds.map(({ load }) => percentile(load.times[kind])));
}

/** @param {Round[]} rounds @param {keyof Times} kind */
function describe(rounds, kind) {
  const each = rounds.map(({ idle, floor, load }) =>
    [load.times, floor.times, idle].map((times) => percentile(times[kind]).toFixed(0)).join('/'),
  );
  return `${kind} ${formatValue(ratioTo(rounds, kind, 'idle'))} × (${each.join(' ')})`;
}

/** @param {Round[]} rounds */
function describeLoad(rounds) {
  const { cpu = '', sent = '' } = rounds[Math.floor(rounds.length / 2)]?.load ?? {};
  return `${cpu}; ${sent}`;
}

/** @param {Result[]} results */
function summarize(results) {
  results.sort((one, other) => ratioTo(other.rounds, 'lookup', 'idle') - ratioTo(one.rounds, 'lookup', 'idle'));
  printTable(
    ['Operation', ...kinds.flatMap((kind) => [`${kind}s, p99`, '× idle', '× floor']), 'CPU of the machine; responses'],
    results.map(({ id: operation, rounds }) => [
      operation,
      ...kinds.flatMap((kind) => [
        `${medianOf(rounds, kind).toFixed(1)} ms`,
        formatValue(ratioTo(rounds, kind, 'idle')),
        formatValue(ratioTo(rounds, kind, 'floor')),
      ]),
      describeLoad(rounds),
    ]),
  );
  for (const kind of kinds) {
    const [worst] = results.toSorted(
      (one, other) => ratioTo(other.rounds, kind, 'idle') - ratioTo(one.rounds, kind, 'idle'),
    );
    if (!worst) continue;
    report({
      what: `${kind}s of others while 32 connections send the dearest request of one operation, p99`,
      measured: `${medianOf(worst.rounds, kind).toFixed(1)} ms (${worst.id})`,
      against: 'without them',
      value: ratioTo(worst.rounds, kind, 'idle'),
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
 */
async function sendMany(operation, service, fixture) {
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
      const status = await sendRequest(service, request, CLIENT_ADDRESS).then(
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
