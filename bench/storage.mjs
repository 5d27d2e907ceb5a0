// What an Artifact takes in the database, table by table, once it is on chain: `node bench/storage.mjs [--artifacts 5000]`.
// They are registered by fingerprint, in batches, without and with idempotency keys.

import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { withFilledService } from './filledService.mjs';
import { printTable } from './operations.mjs';

const BATCH = 1_000;
const { values } = parseArgs({ options: { artifacts: { type: 'string', default: '5000' } } });
const count = Number(values.artifacts);

await withFilledService(async ({ url, address, other }) => {
  const client = new pg.Client(address);
  await client.connect();
  await untilSettled(client);
  const before = await readSizes(client);
  await register(url, other, () => ({}));
  await untilSettled(client);
  const between = await readSizes(client);
  await register(url, other, () => ({ idempotencyKey: randomUUID() }));
  await untilSettled(client);
  const after = await readSizes(client);
  const tables = [...after.keys()].map((table) => {
    const [plain, keyed] = [grown(table, before, between), grown(table, between, after)];
    return { table, plain, keyed };
  });
  const shown = tables.filter(({ plain, keyed }) => plain >= 1 || keyed >= 1).sort((one, two) => two.plain - one.plain);
  const sum = (/** @type {'plain' | 'keyed'} */ what) => tables.reduce((total, one) => total + one[what], 0);
  const rows = [...shown, { table: 'all', plain: sum('plain'), keyed: sum('keyed') }];
  printTable(
    ['Table, with its indexes', 'Bytes for each Artifact', 'with an idempotency key'],
    rows.map(({ table, plain, keyed }) => [table, plain.toFixed(0), keyed.toFixed(0)]),
  );
  await client.end();
});

/** @param {string} table @param {Map<string, number>} from @param {Map<string, number>} to */
function grown(table, from, to) {
  return ((to.get(table) ?? 0) - (from.get(table) ?? 0)) / count;
}

/** @param {string} url @param {{ token: string, values: Record<string, unknown> }} user @param {() => object} more */
async function register(url, { token, values: { markId } }, more) {
  for (let done = 0; done < count; done += BATCH) {
    const artifacts = Array.from({ length: Math.min(BATCH, count - done) }, (_, index) => ({
      ...{ markId, fingerprint: `0x${randomBytes(32).toString('hex')}`, filename: `IMG_${done + index}.jpg` },
      ...{ mediaType: 'image/jpeg', size: 482_133, ...more() },
    }));
    const response = await fetch(`${url}/api/v1/artifacts/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ artifacts }),
    });
    /** @type {{ results: { status: number }[] }} */
    const { results } = JSON.parse(await response.text());
    if (results.some(({ status }) => status !== 201)) throw new Error(JSON.stringify(results.slice(0, 3)));
  }
}

/** Until events have their positions, leaves their indexes, and the chain's rows are gone or only wait for depth. */
async function untilSettled(/** @type {pg.Client} */ client) {
  const waiting = `
    select 1 from artifacts where status < 2 union all select 1 from events where position is null
    union all select 1 from log_entries where leaf_index is null limit 1`;
  while ((await client.query(waiting)).rows.length > 0) await delay(500);
}

/** What rows that were changed or deleted leave behind is not counted. */
async function readSizes(/** @type {pg.Client} */ client) {
  await client.query('vacuum full');
  const { rows } = await client.query(`
    select relname, pg_total_relation_size(oid) as bytes from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`);
  return new Map(rows.map(({ relname, bytes }) => [String(relname), Number(bytes)]));
}
