// The cost of the database: the same routes with PostgreSQL and with an in-memory store, in alternating rounds; and how many
// statements requests take.

import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { report } from './report.mjs';
import { generateLoad, measureRounds, openRegistry } from './support.mjs';

const ROUNDS = 5;
const SECONDS = 1.5;
const CONNECTIONS = 16;
/** The submitter polls the database several times in this time; its statements are not counted. */
const IDLE_MS = 2_000;
/** The fewest of so many requests: a creation also wakes the submitter. */
const REPETITIONS = 5;

const registry = await openRegistry();
const { user, token, markId } = await registry.createUser();
const { store } = registry.ports;
const inMemory = {
  ...store,
  sessions: Object.assign(Object.create(store.sessions), {
    find: async () => ({ user, lastUsedAt: new Date(), isActive: true }),
  }),
  organizations: Object.assign(Object.create(store.organizations), { listOf: async () => [] }),
};
/** One query for each request: the service itself lets requests share a running check. */
async function pingDatabase() {
  await registry.ping();
  return [];
}
const addresses = {
  postgresql: await registry.serve({}, { readiness: pingDatabase }),
  memory: await registry.serve({ store: inMemory }, { readiness: async () => [] }),
};

for (const [path, what] of [
  ['/readyz', 'one trivial query'],
  ['/api/v1/me', 'session with its user, organizations: two queries'],
]) {
  const options = { connections: CONNECTIONS, seconds: SECONDS, token };
  const rounds = await measureRounds(ROUNDS, {
    postgresql: () => generateLoad(`${addresses.postgresql}${path}`, options),
    memory: () => generateLoad(`${addresses.memory}${path}`, options),
  });
  const [withDatabase, without] = [rounds.median('postgresql', 'rate'), rounds.median('memory', 'rate')];
  report({
    what: `\`${path}\` with PostgreSQL: ${what}`,
    measured: `${Math.round(withDatabase)}/s`,
    against: `without, ${Math.round(without)}/s`,
    value: withDatabase / without,
  });
}

const account = { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada' };
await send('POST', '/api/v1/auth/signup', account);
const idle = new Set(await recordStatements(() => delay(IDLE_MS)));
for (const [what, request, most] of /** @type {const} */ ([
  ['`/api/v1/me`', () => send('GET', '/api/v1/me'), 2],
  ['a log-in', () => send('POST', '/api/v1/auth/login', account), 2],
  ['a creation', () => send('POST', '/api/v1/artifacts', newArtifact()), 4],
])) {
  const counts = [];
  for (let done = 0; done < REPETITIONS; done += 1) {
    counts.push((await recordStatements(request)).filter((text) => !idle.has(text)).length);
  }
  const value = Math.min(...counts);
  report({ what: `statements for ${what}`, measured: String(value), value, target: ['at most', most] });
}

await registry.close();

function newArtifact() {
  return { markId, fingerprint: `0x${randomBytes(32).toString('hex')}`, filename: 'photo.jpg' };
}

/** @param {string} method @param {string} path @param {object} [body] */
async function send(method, path, body) {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
  const content = body && { body: JSON.stringify(body) };
  const response = await fetch(`${addresses.postgresql}${path}`, { method, headers, ...content });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  await response.arrayBuffer();
}

/** The texts of the statements that run meanwhile. @param {() => Promise<void>} work */
async function recordStatements(work) {
  const { query } = pg.Client.prototype;
  /** @type {string[]} */
  const texts = [];
  pg.Client.prototype.query = function recordingQuery(/** @type {any[]} */ ...args) {
    texts.push(args[0].text ?? String(args[0]));
    return Reflect.apply(query, this, args);
  };
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return texts;
}
