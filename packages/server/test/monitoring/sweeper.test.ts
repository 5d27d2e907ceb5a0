// The chores of the sweeper, when one of them fails.

import { expect, it } from 'vitest';
import { createApiKey, createOrganization, createUser } from '../../../../test/support/accounts.js';
import { withoutChain } from '../../../../test/support/artifacts.js';
import { createMigratedDatabase, query } from '../../../../test/support/postgres.js';
import { startService } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';

it('A chore that fails is counted, and keeps neither those before nor those after it from being done', async () => {
  const databaseUrl = await createMigratedDatabase();
  const settings = { DATABASE_URL: databaseUrl, ...(await withoutChain()) };
  const service = await startService(settings);
  const owner = await createUser(service, 'enterprise');
  const { id } = (await createApiKey(service, owner, await createOrganization(service, owner))).body;
  const failures = async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    const lines = [...text.matchAll(/^sweeper_failures_total\{chore="(\w+)"\} (\d+)$/gm)];
    return new Map(lines.map(([, chore, count]) => [chore, Number(count)]));
  };
  // The process counts for the services of earlier test files as well.
  const before = await failures();
  expect(before.size).toBe(13);

  // The second chore of a sweep fails; expired keys are the sixth.
  await query(databaseUrl, 'alter table idempotency_keys rename to unavailable');
  await query(databaseUrl, `update api_keys set expires_at = now() - interval '1 second' where id = $1`, [id]);
  const sweeping = await startService(settings);
  await waitUntil(async () => {
    const events = `select 1 from events where type = 'key.expired' and key_id = $1`;
    return (await query(databaseUrl, events, [id])).length === 1;
  }, 'the key is revoked');
  const after = await failures();
  expect([...after.keys()].filter((chore) => after.get(chore) !== before.get(chore))).toEqual(['idempotency_records']);
  const lines = sweeping
    .output()
    .log.split('\n')
    .filter((line) => line.includes('sweep: a chore failed'));
  expect(lines.map((line) => JSON.parse(line).chore)).toContain('idempotency_records');
});
