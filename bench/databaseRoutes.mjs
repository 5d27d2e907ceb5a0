// What the database costs: the same routes of the same server, with PostgreSQL behind them and with memory instead.
// Both are measured in turns in one run, so that the machine's other work falls on both.

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { openDatabase, pingDatabase } from '../packages/server/dist/database/connection.js';
import { startEmbeddedDatabase } from '../packages/server/dist/database/embedded/index.js';
import { migrateToLatest } from '../packages/server/dist/database/migrate.js';
import { organizationQueries } from '../packages/server/dist/database/organizations.js';
import { userQueries } from '../packages/server/dist/database/users.js';
import { buildServer } from '../packages/server/dist/http/server.js';
import { scryptPasswords } from '../packages/server/dist/identity/passwords.js';
import { bearerTokens } from '../packages/server/dist/identity/tokens.js';

const ROUNDS = 5;
const SECONDS = 1.5;
const CONNECTIONS = 16;

const loader = fileURLToPath(new URL('./load.mjs', import.meta.url));
const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
// Reachable for the database's own user, when this runs as root.
await chmod(dataDir, 0o755);
const embedded = await startEmbeddedDatabase({
  dataDir,
  say: () => {},
  onLost: (reason) => {
    throw reason;
  },
});
const database = openDatabase(embedded.address);
await migrateToLatest(database);

const users = userQueries(database);
const user = await users.insert({ id: randomUUID(), email: 'bench@example.com', name: 'Bench', passwordHash: 'none' });
if (!user) throw new Error('no user');
const tokens = bearerTokens('a secret for the benchmark only, made up', undefined);
const { token } = await tokens.issue(user.id, new Date());

const shared = { passwords: scryptPasswords(), tokens, clock: () => new Date() };
const common = /** @type {const} */ ({
  role: 'all',
  billing: 'self-serve',
  operatorToken: undefined,
  baseUrl: 'http://127.0.0.1',
  version: '0',
});
const logger = pino({ enabled: false });
const servers = {
  postgresql: buildServer({
    ...common,
    logger,
    accounts: { ...shared, users, organizations: organizationQueries(database) },
    readiness: { database: () => pingDatabase(database) },
  }),
  memory: buildServer({
    ...common,
    logger,
    accounts: {
      ...shared,
      users: { ...users, findById: async () => user },
      organizations: { listOf: async () => [] },
    },
    readiness: { database: async () => {} },
  }),
};

const addresses = {
  postgresql: await servers.postgresql.listen({ host: '127.0.0.1', port: 0 }),
  memory: await servers.memory.listen({ host: '127.0.0.1', port: 0 }),
};

for (const [path, what] of [
  ['/readyz', 'one trivial query'],
  ['/api/v1/me', 'token, user, organizations: two queries'],
]) {
  /** @type {Record<keyof typeof addresses, number[]>} */
  const rates = { postgresql: [], memory: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const kind of /** @type {const} */ (['postgresql', 'memory'])) {
      rates[kind].push(await measure(`${addresses[kind]}${path}`));
    }
  }
  const [withDatabase, without] = [median(rates.postgresql), median(rates.memory)];
  console.log(
    `${path} (${what}): ${Math.round(withDatabase)}/s with PostgreSQL, ${Math.round(without)}/s without, ` +
      `ratio ${(withDatabase / without).toFixed(2)}`,
  );
}

await Promise.all(Object.values(servers).map((server) => server.close()));
await database.destroy();
await embedded.stop();
await rm(dataDir, { recursive: true });

/** @param {string} url */
async function measure(url) {
  const { stdout } = await promisify(execFile)(process.execPath, [
    loader,
    url,
    token,
    String(CONNECTIONS),
    String(SECONDS),
  ]);
  return Number(stdout);
}

/** @param {number[]} values */
function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
