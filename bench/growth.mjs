// What growth costs: lookups and creations of the service as it is started, with ten thousand and with a million Artifacts
// in its database (`--ten-million`: and ten million), with one process and with two, and the memory of each.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from '@provenance-registry/client';
import { report } from './report.mjs';
import { filledDatabase, freePort, load, median, openFolder } from './support.mjs';

const ROUNDS = 5;
const SECONDS = 2;
const LOOKING_UP = 32;
const CREATING = 8;
/** Until then the verifier's WebAssembly is still being optimised. */
const WARM_UP = 400;
const SECRET = 'a secret for the benchmark only, made up';

const counts = [10_000, 1_000_000, ...(process.argv.includes('--ten-million') ? [10_000_000] : [])];
const main = fileURLToPath(new URL('../packages/server/bundle/main.js', import.meta.url));
const { dataDir: folder, address, remove } = await openFolder();

const layouts = [];
for (const count of counts) {
  const { host, user, database } = await filledDatabase(address, `with_${count}`, count);
  const databaseUrl = `postgres://${user}@${encodeURIComponent(host)}/${database}`;
  layouts.push(await openLayout(count, 1, databaseUrl));
  // Two of them share the database and the folder, the chain as well.
  if (count === counts[1]) layouts.push(await openLayout(count, 2, databaseUrl));
}

/** @typedef {(typeof layouts)[number]} Layout */
/** @type {Map<Layout, { lookups: number, creations: number }[]>} */
const rounds = new Map(layouts.map((layout) => [layout, []]));
for (const layout of layouts) {
  await layout.lookUp();
  for (let done = 0; done < WARM_UP; ) done += (await layout.create()).count;
}
for (let round = 0; round < ROUNDS; round += 1) {
  for (const layout of layouts) {
    const [lookups, creations] = [(await layout.lookUp()).rate, (await layout.create()).rate];
    rounds.get(layout)?.push({ lookups, creations });
  }
}

const [smallest, million] = layouts;
for (const layout of layouts) {
  const isTwo = layout.processes === 2;
  const other = isTwo ? million : smallest;
  for (const what of /** @type {const} */ (['lookups', 'creations'])) {
    if (!other || layout === smallest) continue;
    report({
      what: `${what}, ${named(layout)}`,
      measured: `${rate(layout, what)}/s`,
      against: `${isTwo ? 'with one process' : `with ${other.count.toLocaleString('en')}`}, ${rate(other, what)}/s`,
      value: ratio(layout, other, what),
    });
  }
}
for (const layout of layouts) {
  const megabytes = await layout.memory();
  report({
    what: `memory after that, ${named(layout)}, MB`,
    measured: megabytes.map((one) => `${one.toFixed(0)} MB`).join(' and '),
    value: Math.max(...megabytes),
  });
}

for (const layout of layouts) await layout.close();
await remove();

/** @param {Layout} layout */
function named({ count, processes }) {
  return `${count.toLocaleString('en')} Artifacts, ${processes === 1 ? 'one process' : 'two processes'}`;
}

/**
 * @param {Layout} layout
 * @param {'lookups' | 'creations'} what
 */
function rate(layout, what) {
  return Math.round(median((rounds.get(layout) ?? []).map((round) => round[what])));
}

/**
 * Of the rounds' own ratios: what else the machine did fell on both.
 * @param {Layout} one
 * @param {Layout} other
 * @param {'lookups' | 'creations'} what
 */
function ratio(one, other, what) {
  const others = rounds.get(other) ?? [];
  return median((rounds.get(one) ?? []).map((round, index) => round[what] / (others[index]?.[what] ?? 0)));
}

/**
 * @param {number} count
 * @param {number} processes
 * @param {string} databaseUrl
 */
async function openLayout(count, processes, databaseUrl) {
  const dataDir = await mkdtemp(join(folder, 'data-'));
  const chainPort = await freePort();
  /** @type {Awaited<ReturnType<typeof startService>>[]} */
  const services = [];
  for (let started = 0; started < processes; started += 1) {
    services.push(await startService({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl, CHAIN_PORT: String(chainPort) }));
  }
  const [first] = services;
  if (!first) throw new Error('a layout has a process');
  const { token, markId } = await person(first.url);
  const body = { markId, fingerprint: '{fingerprint}', filename: 'photo.jpg' };
  const value = `{value 1 ${count}}`;
  return {
    count,
    processes,
    lookUp: () =>
      together((url) =>
        load(`${url}/api/c2pa/matches/byBinding?alg=com.service.sha256&value=${value}`, {
          connections: LOOKING_UP / processes,
          seconds: SECONDS,
        }),
      ),
    create: () =>
      together((url) =>
        load(`${url}/api/v1/artifacts`, { connections: CREATING / processes, seconds: SECONDS, token, body }),
      ),
    memory: () => Promise.all(services.map(({ pid }) => residentMegabytes(pid))),
    async close() {
      for (const service of services.toReversed()) await service.stop();
    },
  };

  /** @param {(url: string) => Promise<{ rate: number, count: number }>} work */
  async function together(work) {
    const done = await Promise.all(services.map(({ url }) => work(url)));
    const sum = (/** @type {'rate' | 'count'} */ what) => done.reduce((total, one) => total + one[what], 0);
    return { rate: sum('rate'), count: sum('count') };
  }
}

/** @param {Record<string, string>} settings */
async function startService(settings) {
  const port = await freePort();
  const env = {
    PATH: process.env['PATH'],
    UV_THREADPOOL_SIZE: '8',
    JWT_SECRET: SECRET,
    PORT: String(port),
    ...settings,
  };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error(`the service did not start: ${said}`);
    await delay(50);
  }
  return {
    url,
    pid: child.pid,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** @param {string} url */
async function isReady(url) {
  try {
    return (await fetch(`${url}/readyz`)).ok;
  } catch {
    return false;
  }
}

/**
 * Somebody without limits, with a token and a Mark.
 * @param {string} baseUrl
 */
async function person(baseUrl) {
  const account = { email: `bench@${Date.now()}.example.com`, password: 'made up for the benchmark', name: 'Ada' };
  const { token } = await createClient({ baseUrl }).signUp(account);
  const client = createClient({ baseUrl, credential: token });
  await client.putSubscription({ tier: 'enterprise' });
  const { id } = await client.createMark({ name: 'Ada Lovelace Photography' });
  return { token, markId: id };
}

/** @param {number | undefined} pid */
async function residentMegabytes(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
