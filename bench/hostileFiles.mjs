// How much a free account delays others by hostile files: the 99th percentile of each kind of request while 32 connections
// send them, against the same requests without, and the time that a stop takes meanwhile.

import { spawn } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { findFreePort, serviceProgram } from '../chaos/supervisor.mjs';
import { report } from './report.mjs';
import { createFolder } from './support.mjs';

const SECONDS = 60;
const WARM_UP_SECONDS = 10;
const SVG_COPIES = 12;
const MAX_SECONDS = 2;
const password = 'correct horse battery';

const folder = await createFolder();
const tiersFile = join(folder, 'tiers.json');
// The attack must not end with the daily limit.
await writeFile(tiersFile, JSON.stringify({ free: { dailyArtifactLimit: -1, lifetimeArtifactLimit: -1 } }));
const port = await findFreePort();
const url = `http://127.0.0.1:${port}`;
const service = spawn(process.execPath, [serviceProgram], {
  env: {
    PATH: process.env['PATH'] ?? '',
    PORT: String(port),
    CHAIN_PORT: String(await findFreePort()),
    DATA_DIR: join(folder, 'data'),
    TIERS_FILE: tiersFile,
  },
  stdio: ['ignore', 'ignore', 'pipe'],
});
await untilReady();

const ada = await createAccount('ada');
const attacker = await createAccount('mallory');
const { id, fingerprint } = await call('POST', '/api/v1/artifacts', ada.token, newArtifact());
const binding = new URLSearchParams({
  alg: 'com.service.sha256',
  value: Buffer.from(fingerprint.slice(2), 'hex').toString('base64'),
});

/** @type {Record<string, () => Promise<unknown>>} */
const requests = {
  'log-in': () => call('POST', '/api/v1/auth/login', '', { email: ada.email, password }),
  'published file': () => call('GET', `/cdn/${id}.png`),
  lookup: () => call('GET', `/api/c2pa/matches/byBinding?${binding}`),
  creation: () => call('POST', '/api/v1/artifacts', ada.token, newArtifact()),
};

await measure(WARM_UP_SECONDS);
const idle = await measure(SECONDS);
const attack = await startAttack();
const attacked = await measure(SECONDS);
for (const name of Object.keys(requests)) {
  const [alone, meanwhile] = [idle[name] ?? 0, attacked[name] ?? 0];
  report({
    what: `${name} while hostile files are processed, 99th percentile`,
    measured: `${meanwhile.toFixed(0)} ms`,
    against: `without them, ${alone.toFixed(0)} ms`,
    value: meanwhile / alone,
    target: ['at most', 5],
  });
}
const slowest = Math.max(...Object.values(attacked)) / 1000;
report({
  what: 'the slowest of these four, s',
  measured: `${slowest.toFixed(2)} s`,
  value: slowest,
  target: ['at most', MAX_SECONDS],
});

const processes = [service.pid ?? 0, ...findDescendants(service.pid ?? 0)];
const startedAt = performance.now();
service.kill('SIGTERM');
while (processes.some(isRunning)) await delay(20);
const stopSeconds = (performance.now() - startedAt) / 1000;
report({
  what: `SIGTERM until all ${processes.length} processes ended, while hostile files are processed, s`,
  measured: `${stopSeconds.toFixed(1)} s`,
  value: stopSeconds,
  target: ['at most', 10],
});
await attack.end();
await rm(folder, { recursive: true });

async function untilReady() {
  let output = '';
  for await (const chunk of service.stderr ?? []) {
    output += chunk;
    if (output.includes('is ready')) break;
  }
  if (!output.includes('is ready')) throw new Error(output);
  service.stderr?.resume();
}

/** @param {string} name */
async function createAccount(name) {
  const email = `${name}@example.com`;
  const { token } = await call('POST', '/api/v1/auth/signup', '', { email, password, name });
  const mark = await call('POST', '/api/v1/marks', token, { name: 'Mark' });
  return { email, token, markId: mark.id };
}

function newArtifact() {
  return { markId: ada.markId, fingerprint: `0x${randomBytes(32).toString('hex')}`, filename: 'photo.jpg' };
}

/** @param {string} method @param {string} path @param {string} [token] @param {object} [body] */
async function call(method, path, token, body) {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const bytes = await response.arrayBuffer();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${Buffer.from(bytes)}`);
  return response.headers.get('content-type')?.startsWith('application/json')
    ? JSON.parse(Buffer.from(bytes).toString())
    : undefined;
}

/** Sends requests of all kinds, one of each at a time, and returns the 99th percentile of each in milliseconds. @param {number} seconds */
async function measure(seconds) {
  const deadline = performance.now() + seconds * 1000;
  const percentiles = Object.entries(requests).map(async ([name, send]) => {
    /** @type {number[]} */
    const times = [];
    while (performance.now() < deadline) {
      const before = performance.now();
      await send();
      times.push(performance.now() - before);
      // Users do not keep the service busy all the time.
      await delay(50);
    }
    times.sort((a, b) => a - b);
    return /** @type {const} */ ([name, times[Math.ceil(times.length * 0.99) - 1] ?? 0]);
  });
  return Object.fromEntries(await Promise.all(percentiles));
}

/** Each connection sends its file again and again, to be hashed and to be returned with a manifest in turn. */
async function startAttack() {
  const path = fileURLToPath(new URL('../packages/server/test/support/bombs.ts', import.meta.url));
  const { module } = await runnerImport(path);
  const [svg = new Uint8Array(), ...others] = Object.values(await module.makeBombs());
  const files = [...Array.from({ length: SVG_COPIES }, () => svg), ...others];
  let isOver = false;
  let sent = 0;
  const connections = files.map(async (file) => {
    while (!isOver) {
      // Another file with the same effect.
      const bytes = Buffer.concat([file, Buffer.from(`\n<!-- ${randomUUID()} -->`)]);
      const form = new FormData();
      form.set('markId', attacker.markId);
      form.set('fingerprint', `0x${createHash('sha256').update(bytes).digest('hex')}`);
      form.set('filename', 'picture');
      form.set('file', new Blob([bytes]));
      const isSigned = sent % 2 === 1;
      sent += 1;
      await fetch(`${url}${isSigned ? '/api/c2pa/manifests' : '/api/v1/artifacts'}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${attacker.token}`, ...(isSigned && { accept: 'image/*' }) },
        body: form,
      }).then(
        (response) => response.arrayBuffer(),
        // The service stops while files are sent.
        () => delay(50),
      );
    }
  });
  return {
    async end() {
      isOver = true;
      await Promise.all(connections);
      console.log(`${files.length} connections sent ${sent} hostile files`);
    },
  };
}

/** @param {number} pid @returns {number[]} */
function findDescendants(pid) {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => parentOf(other) === pid);
  return children.flatMap((child) => [child, ...findDescendants(child)]);
}

/** @param {number} pid */
function parentOf(pid) {
  return Number(readStat(pid)[1]);
}

/** Whether it runs; a zombie does not. @param {number} pid */
function isRunning(pid) {
  return !['Z', undefined].includes(readStat(pid)[0]);
}

/** State, parent and more; empty when there is no such process. @param {number} pid */
function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain spaces.
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
