// What the database costs: the same routes of the same server, with PostgreSQL behind them and with memory instead.
// Both are measured in turns in one run, so that the machine's other work falls on both.

import { randomUUID } from 'node:crypto';
import { defaultTiers } from '@provenance-registry/core';
import { pino } from 'pino';
import { openDatabase, pingDatabase } from '../packages/server/dist/database/connection.js';
import { migrateToLatest } from '../packages/server/dist/database/migrate.js';
import { rememberApiKeyUses } from '../packages/server/dist/database/queries/apiKeys.js';
import { createStore } from '../packages/server/dist/database/store.js';
import { buildServer } from '../packages/server/dist/http/server.js';
import { scryptPasswords } from '../packages/server/dist/identity/passwords.js';
import { bearerTokens } from '../packages/server/dist/identity/tokens.js';
import { report } from './report.mjs';
import { load, median, openFolder } from './support.mjs';

const ROUNDS = 5;
const SECONDS = 1.5;
const CONNECTIONS = 16;

const { address, remove } = await openFolder();
const database = openDatabase(address);
await migrateToLatest(database);

const store = createStore(database, rememberApiKeyUses(database));
const user = await store.users.insert({
  id: randomUUID(),
  email: 'bench@example.com',
  name: 'Bench',
  passwordHash: 'none',
});
if (!user) throw new Error('no user');
const tokens = bearerTokens('a secret for the benchmark only, made up', undefined);
const { token } = await tokens.issue(user.id, new Date());
const inMemory = {
  ...store,
  users: { ...store.users, findById: async () => user },
  organizations: { ...store.organizations, listOf: async () => [] },
};

/**
 * @param {typeof store} kept
 * @param {() => Promise<void>} ping
 */
function server(kept, ping) {
  const clock = () => new Date();
  return buildServer({
    // The routes that are measured need no more than this.
    ports: /** @type {import('../packages/server/dist/domain/ports/index.js').Ports} */ (
      /** @type {unknown} */ ({ store: kept, passwords: scryptPasswords(), tokens, clock, tiers: defaultTiers })
    ),
    maxUploadBytes: 1,
    readiness: { needed: { database: ping }, reported: {} },
    chain: { contract: { address: '0x', abi: [] }, health: () => Promise.reject(new Error('there is no chain')) },
    role: 'all',
    operatorToken: undefined,
    baseUrl: 'http://127.0.0.1',
    version: '0',
    logger: pino({ enabled: false }),
  });
}
const servers = {
  postgresql: server(store, () => pingDatabase(database)),
  memory: server(inMemory, async () => {}),
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
      const { rate } = await load(`${addresses[kind]}${path}`, { connections: CONNECTIONS, seconds: SECONDS, token });
      rates[kind].push(rate);
    }
  }
  const [withDatabase, without] = [median(rates.postgresql), median(rates.memory)];
  report({
    what: `\`${path}\` with PostgreSQL: ${what}`,
    measured: `${Math.round(withDatabase)}/s`,
    against: `without, ${Math.round(without)}/s`,
    value: withDatabase / without,
  });
}

await Promise.all(Object.values(servers).map((server) => server.close()));
await database.destroy();
await remove();
