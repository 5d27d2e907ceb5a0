// The cost of the database: the same routes with PostgreSQL and with an in-memory store, in alternating rounds.

import { report } from './report.mjs';
import { generateLoad, measureRounds, openRegistry } from './support.mjs';

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
  ['/api/v1/me', 'token, user, organizations: two queries'],
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

await registry.close();
