// What the database costs: the same routes of the same server, with PostgreSQL behind them and with memory instead.
// Both are measured in turns in one run, so that the machine's other work falls on both.

import { report } from './report.mjs';
import { load, median, openParts } from './support.mjs';

const ROUNDS = 5;
const SECONDS = 1.5;
const CONNECTIONS = 16;

const parts = await openParts();
const { user, token } = await parts.person();
const { store } = parts.ports;
const inMemory = {
  ...store,
  users: { ...store.users, findById: async () => user },
  organizations: { ...store.organizations, listOf: async () => [] },
};
const addresses = {
  postgresql: await parts.serve({}, { readiness: { needed: { database: parts.ping }, reported: {} } }),
  memory: await parts.serve({ store: inMemory }, { readiness: { needed: { database: async () => {} }, reported: {} } }),
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

await parts.close();
