// The cost of growth: lookups, creations and memory of the started service with ten thousand and a million Artifacts
// (`--ten-million`: and ten million), with one process and with two.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from '@provenance-registry/client';
import { report } from './report.mjs';
import { createFilledDatabase, findFreePort, generateLoad, median, startDatabase } from './support.mjs';

const ROUNDS = 5;
const SECONDS = 2;
const LOOKUP_CONNECTIONS = 32;
const CREATION_CONNECTIONS = 8;
/** Creations until the verifier's WebAssembly is optimized. */
const WARM_UP = 400;
const SECRET = 'a secret for benchmarks and nothing else';

const counts = [10_000, 1_000_000, ...(process.argv.includes('--ten-million') ? [10_000_000] : [])];
const main = fileURLToPath(new URL('../packages/server/bundle/main.js', import.meta.url));
const { dataDir: folder, address, remove } = await startDatabase();

const layouts = [];
for (const count of counts) {
  const { host, user, database } = await createFilledDatabase(address, `with_${count}`, count);
  const databaseUrl = `postgres://${user}@${encodeURIComponent(host)}/${database}`;
  layouts.push(await openLayout(count, 1, databaseUrl));
  // The two processes share database, folder and chain.
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
      what: `${what}, ${describeLayout(layout)}`,
      measured: `${rate(layout, what)}/s`,
      against: `${isTwo ? 'with one process' : `with ${other.count.toLocaleString('en')}`}, ${rate(other, what)}/s`,
      value: ratio(layout, other, what),
    });
  }
}
for (const layout of layouts) {
  const megabytes = await layout.memory();
  report({
    what: `memory after that, ${describeLayout(layout)}, MB`,
    measured: megabytes.map((one) => `${one.toFixed(0)} MB`).join(' and '),
    value: Math.max(...megabytes),
  });
}

for (const layout of layouts) await layout.close();
await remove();

/** @param {Layout} layout */
function describeLayout({ count, processes }) {
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
 * The median of the ratios of the rounds.
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
  const chainPort = await findFreePort();
  /** @type {Awaited<ReturnType<typeof startService>>[]} */
  const services = [];
  for (let started = 0; started < processes; started += 1) {
    services.push(await startService({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl, CHAIN_PORT: String(chainPort) }));
  }
  const [first] = services;
  if (!first) throw new Error('a layout has a process');
  const { token, markId } = await createUser(first.url);
  const body = { markId, fingerprint: '{fingerprint}', filename: 'photo.jpg' };
  const value = `{value 1 ${count}}`;
  return {
    count,
    processes,
    lookUp: () =>
      runOnAll((url) =>
        generateLoad(`${url}/api/c2pa/matches/byBinding?alg=com.service.sha256&value=${value}`, {
          connections: LOOKUP_CONNECTIONS / processes,
          seconds: SECONDS,
        }),
      ),
    create: () =>
      runOnAll((url) =>
        generateLoad(`${url}/api/v1/artifacts`, {
          connections: CREATION_CONNECTIONS / processes,
          seconds: SECONDS,
          token,
          body,
        }),
      ),
    memory: () => Promise.all(services.map(({ pid }) => residentMegabytes(pid))),
    async close() {
      for (const service of services.toReversed()) await service.stop();
    },
  };

  /** @param {(url: string) => Promise<{ rate: number, count: number }>} work */
  async function runOnAll(work) {
    const done = await Promise.all(services.map(({ url }) => work(url)));
    const sum = (/** @type {'rate' | 'count'} */ what) => done.reduce((total, one) => total + one[what], 0);
    return { rate: sum('rate'), count: sum('count') };
  }
}

/** @param {Record<string, string>} settings */
async function startService(settings) {
  const port = await findFreePort();
  const env = {
    PATH: process.env['PATH'],
    UV_THREADPOOL_SIZE: '8',
    JWT_SECRET: SECRET,
    PORT: String(port),
    ...settings,
  };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error(`the service did not start: ${output}`);
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
 * A user without limits, with a token and a Mark.
 * @param {string} baseUrl
 */
async function createUser(baseUrl) {
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
