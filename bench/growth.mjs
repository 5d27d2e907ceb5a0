// The cost of growth: lookups, creations and memory of the started service with ten thousand and a million Artifacts
// (`--ten-million`: and ten million), with one process and with two.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient } from '@provenance-registry/client';
import { findFreePort } from '../chaos/supervisor.mjs';
import { report } from './report.mjs';
import {
  createFilledDatabase,
  generateCreations,
  generateLoad,
  lookupUrl,
  measureRounds,
  readMegabytes,
  startDatabase,
} from './support.mjs';

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
  const { host, user, password = '', database } = await createFilledDatabase(address, `with_${count}`, count);
  const databaseUrl = `postgres://${user}:${password}@${encodeURIComponent(host)}/${database}`;
  layouts.push(await openLayout(count, 1, databaseUrl));
  // The two processes share database, folder and chain.
  if (count === counts[1]) layouts.push(await openLayout(count, 2, databaseUrl));
}

/** @typedef {(typeof layouts)[number]} Layout */
for (const layout of layouts) {
  await layout.lookUp();
  for (let done = 0; done < WARM_UP; ) done += (await layout.create()).count;
}
const measureLayout = async (/** @type {Layout} */ { lookUp, create }) => ({
  lookups: (await lookUp()).rate,
  creations: (await create()).rate,
});
const rounds = await measureRounds(
  ROUNDS,
  Object.fromEntries(layouts.map((layout) => [layout.name, () => measureLayout(layout)])),
);

const [smallest, million] = layouts;
for (const layout of layouts) {
  const isTwo = layout.processes === 2;
  const other = isTwo ? million : smallest;
  for (const what of /** @type {const} */ (['lookups', 'creations'])) {
    if (!other || layout === smallest) continue;
    report({
      what: `${what}, ${layout.name}`,
      measured: `${Math.round(rounds.median(layout.name, what))}/s`,
      against: `${isTwo ? 'with one process' : `with ${other.count.toLocaleString('en')}`}, ${Math.round(rounds.median(other.name, what))}/s`,
      value: rounds.ratio(layout.name, other.name, what),
    });
  }
}
for (const layout of layouts) {
  const megabytes = await layout.memory();
  report({
    what: `memory after that, ${layout.name}, MB`,
    measured: megabytes.map((one) => `${one.toFixed(0)} MB`).join(' and '),
    value: Math.max(...megabytes),
  });
}

for (const layout of layouts) await layout.close();
await remove();

/** @param {number} count @param {number} processes @param {string} databaseUrl */
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
  return {
    name: `${count.toLocaleString('en')} Artifacts, ${processes === 1 ? 'one process' : 'two processes'}`,
    count,
    processes,
    lookUp: () =>
      runOnAll((url) =>
        generateLoad(lookupUrl(url, 1, count), { connections: LOOKUP_CONNECTIONS / processes, seconds: SECONDS }),
      ),
    create: () =>
      runOnAll((url) =>
        generateCreations(`${url}/api/v1/artifacts`, {
          connections: CREATION_CONNECTIONS / processes,
          seconds: SECONDS,
          token,
          markId,
        }),
      ),
    memory: () => Promise.all(services.map(({ pid }) => readMegabytes(pid, 'VmRSS'))),
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

/** A user without limits, with a token and a Mark. @param {string} baseUrl */
async function createUser(baseUrl) {
  const account = { email: `bench@${Date.now()}.example.com`, password: 'made up for the benchmark', name: 'Ada' };
  const { token } = await createClient({ baseUrl }).signUp(account);
  const client = createClient({ baseUrl, credential: token });
  await client.putSubscription({ tier: 'enterprise' });
  const { id } = await client.createMark({ name: 'Ada Lovelace Photography' });
  return { token, markId: id };
}
