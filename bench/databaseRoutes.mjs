// The cost of the database: the same routes with PostgreSQL and with an in-memory store, in alternating rounds.

import { report } from './report.mjs';
import { generateLoad, median, openRegistry } from './support.mjs';

const ROUNDS = 5;
const SECONDS = 1.5;
const CONNECTIONS = 16;

const registry = await openRegistry();
const { user, token } = await registry.createUser();
const { store } = registry.ports;
const inMemory = {
  ...store,
  users: { ...store.users, findById: async () => user },
  organizations: { ...store.organizations, listOf: async () => [] },
};
const addresses = {
  postgresql: await registry.serve({}, { readiness: { needed: { database: registry.ping }, reported: {} } }),
  memory: await registry.serve(
    { store: inMemory },
    { readiness: { needed: { database: async () => {} }, reported: {} } },
  ),
};

for (const [path, what] of [
  ['/readyz', 'one trivial query'],
  ['/api/v1/me', 'token, user, organizations: two queries'],
]) {
  /** @type {Record<keyof typeof addresses, number[]>} */
  const rates = { postgresql: [], memory: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const kind of /** @type {const} */ (['postgresql', 'memory'])) {
      const { rate } = await generateLoad(`${addresses[kind]}${path}`, {
        connections: CONNECTIONS,
        seconds: SECONDS,
        token,
      });
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

await registry.close();
