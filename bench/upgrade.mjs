// An upgrade from release 0.2.0, under lookups and creations: `node bench/upgrade.mjs [--artifacts 2000000] [--older FOLDER]`.
// The requests are those of processes of 0.2.0: its statements, or with `--older` its own processes, from a folder in which
// that release was built (`npm run build && node scripts/bundle.mjs server`).

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { findFreePort } from '../chaos/supervisor.mjs';
import { createEarlierTables, FIRST_LATER_MIGRATION, fillTables, OlderProcess } from './olderRelease.mjs';
import { report } from './report.mjs';
import { createFolder, startDatabase } from './support.mjs';
import { UpgradeLoad } from './upgradeLoad.mjs';

const USERS = 1_000;
const PROCESSES = 2;
const BEFORE_MS = 30_000;

const { values } = parseArgs({
  options: { artifacts: { type: 'string', default: '2000000' }, older: { type: 'string' } },
});
const artifacts = Number(values.artifacts);
const server = fileURLToPath(new URL('../packages/server/bundle/main.js', import.meta.url));

const { address, dataDir, remove } = await startDatabase();
const { user, password = '', host, port, database } = address;
const databaseUrl = `postgres://${user}:${password}@${encodeURIComponent(host)}:${port}/${database}`;
const client = new pg.Client(address);
await client.connect();
try {
  console.log(`Filling a database of 0.2.0 with ${artifacts} Artifacts …`);
  await createEarlierTables(client, FIRST_LATER_MIGRATION);
  await fillTables(client, { artifacts, users: USERS });
  await measure();
} finally {
  await client.end();
  await remove();
}

async function measure() {
  const older = values.older === undefined ? startStatements() : await startProcesses(values.older);
  const load = new UpgradeLoad(older.clients, { artifacts, lookups: 2, creations: 1 });
  load.begin('before');
  await delay(BEFORE_MS);
  load.begin('during');
  const startedAt = performance.now();
  await migrate();
  const seconds = (performance.now() - startedAt) / 1_000;
  load.begin('after');
  await delay(BEFORE_MS);
  await load.end();
  await older.end();

  const [before, during] = [load.percentile('before', 0.99), load.percentile('during', 0.99)];
  for (const phase of ['before', 'during', 'after']) {
    const [median, worst] = [load.percentile(phase, 0.5), load.percentile(phase, 0.999_99)];
    console.log(
      `${phase}: ${load.times.get(phase)?.length} lookups, median ${median.toFixed(1)} ms, longest ${worst.toFixed(0)} ms`,
    );
  }
  report({
    what: `99th percentile of lookups while ${artifacts} Artifacts of 0.2.0 are migrated in ${Math.round(seconds)} s`,
    measured: `${during.toFixed(1)} ms`,
    against: `before, ${before.toFixed(1)} ms`,
    value: during / before,
    target: ['at most', 3],
  });
  console.log(`${load.created} creations meanwhile; ${load.failures.length} requests failed`);
  for (const failure of new Set(load.failures)) console.log(`  ${failure}`);
  const { rows } = await client.query(
    `select count(*) as wrong from marks left join mark_counters on mark_id = marks.id where mark_counters.artifacts is distinct from (
       select count(*) from artifacts where mark_id = marks.id and rendition_of is null and error_reason is null
     )`,
  );
  const { rows: created } = await client.query('select count(*) - $1 as more from artifacts', [artifacts]);
  console.log(`${created[0].more} Artifacts were added, ${rows[0].wrong} Marks are counted wrong`);
}

async function migrate() {
  const environment = { ...process.env, DATABASE_URL: databaseUrl, DATA_DIR: dataDir };
  const child = spawn(process.execPath, [server, 'migrate'], { env: environment, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the migration ended with ${code}`);
}

function startStatements() {
  const clients = Array.from({ length: PROCESSES }, () => new OlderProcess(address, { connections: 3, users: USERS }));
  return { clients, end: () => Promise.all(clients.map((one) => one.end())) };
}

/** Processes of 0.2.0, which share a development chain: the first one runs it. @param {string} folder */
async function startProcesses(folder) {
  const data = await createFolder();
  const chainPort = String(await findFreePort());
  /** @type {import('node:child_process').ChildProcess[]} */
  const children = [];
  /** @type {{ url: string }[]} */
  const services = [];
  for (let index = 0; index < PROCESSES; index += 1) {
    const PORT = String(await findFreePort());
    const environment = { DATABASE_URL: databaseUrl, DATA_DIR: data, PORT, CHAIN_PORT: chainPort };
    const child = spawn(process.execPath, ['packages/server/bundle/main.js'], {
      cwd: folder,
      env: { ...process.env, ...environment, BASE_URL: `http://127.0.0.1:${PORT}`, ROLE: index === 0 ? 'all' : 'api' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.push(child);
    for await (const chunk of child.stderr) if (String(chunk).includes('is ready')) break;
    services.push({ url: `http://127.0.0.1:${PORT}` });
  }
  const { token, markId } = await signUp(services[0]?.url ?? '');
  return {
    clients: services.map(({ url }) => ({
      /** @param {number} number */
      async lookUp(number) {
        const value = encodeURIComponent(createHash('sha256').update(String(number)).digest('base64'));
        const { matches } = await send(
          'GET',
          `${url}/api/c2pa/matches/byBinding?alg=com.service.sha256&value=${value}`,
        );
        return matches[0];
      },
      /** @param {string} name */
      create(name) {
        const fingerprint = `0x${createHash('sha256').update(name).digest('hex')}`;
        return send('POST', `${url}/api/v1/artifacts`, {
          token,
          body: { markId, fingerprint, filename: `${name}.jpg` },
        });
      },
    })),
    async end() {
      for (const child of children) {
        const ended = once(child, 'exit');
        child.kill();
        await ended;
      }
    },
  };
}

/** @param {string} url */
async function signUp(url) {
  const account = { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada' };
  const { token } = await send('POST', `${url}/api/v1/auth/signup`, { body: account });
  await send('PUT', `${url}/api/v1/subscription`, { token, body: { tier: 'enterprise' } });
  const mark = { name: 'Mark', visibility: 'public', license: 'CC-BY-4.0' };
  return { token, markId: (await send('POST', `${url}/api/v1/marks`, { token, body: mark })).id };
}

/** @param {string} method @param {string} url @param {{ token?: string, body?: object }} [options] */
async function send(method, url, { token, body } = {}) {
  const headers = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(body && { 'content-type': 'application/json' }),
  };
  const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  /** @type {{ token: string, id: string, error: string, matches: object[] }} */
  const result = JSON.parse(await response.text());
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname}: ${response.status} ${result.error}`);
  return result;
}
