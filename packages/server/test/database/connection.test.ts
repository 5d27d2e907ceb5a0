// What the service's connections are set to, and the time that all processes take from the database.

import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMigratedDatabase, query } from '../../../../test/support/postgres.js';
import { call, type Service, signUp, startService } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { DatabaseClock, type ProcessClock } from '../../src/database/clock.js';
import { type Database, openDatabase } from '../../src/database/connection.js';
import { lookUp } from '../support/resolution.js';

const DAY_MS = 86_400_000;
/** Much more than a query takes, and much less than the clocks are off in these tests. */
const CLOSE_MS = 5_000;

let databaseUrl: string;
let database: Database;
beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
  database = openDatabase({ connectionString: databaseUrl });
});
afterAll(() => database.destroy());

describe('a connection of the service', () => {
  it('never compiles queries, and plans them once', async () => {
    const { rows } = await sql<{ jit: string; mode: string }>`
      select current_setting('jit') as jit, current_setting('plan_cache_mode') as mode`.execute(database);
    expect(rows).toEqual([{ jit: 'off', mode: 'force_generic_plan' }]);
    // That of the server, which operators may leave as it is.
    expect(await query(databaseUrl, 'show jit')).toEqual([{ jit: 'on' }]);
  });
});

describe('the clock of a process', () => {
  it('is that of the database, however far its own one is off, also when that jumps', async () => {
    const own = { aheadMs: 2 * DAY_MS, now: () => Date.now() + own.aheadMs, monotonic: () => performance.now() };
    const clock = new DatabaseClock(own);
    expect(clock.describeSkew()).toBeUndefined();
    await clock.measure(database);
    for (const aheadMs of [2 * DAY_MS, -DAY_MS, 0]) {
      own.aheadMs = aheadMs;
      const [row] = await query<{ now: Date }>(databaseUrl, 'select clock_timestamp() as now');
      expect(Math.abs(clock.now().getTime() - (row?.now.getTime() ?? 0))).toBeLessThan(CLOSE_MS);
      expect(clock.mayWrite()).toBe(aheadMs === 0);
    }
    own.aheadMs = 2 * DAY_MS;
    expect(clock.describeSkew()).toMatch(/^1728\d\d s ahead of the database$/);
  });

  it('ignores a measurement that took long', async () => {
    let monotonicMs = 0;
    const own: ProcessClock = {
      now: () => Date.now() + DAY_MS,
      monotonic: () => {
        monotonicMs += 1_500;
        return monotonicMs;
      },
    };
    const clock = new DatabaseClock(own);
    await clock.measure(database);
    expect(clock.mayWrite()).toBe(true);
  });
});

describe('a service whose clock is wrong', () => {
  let service: Service;
  let aheadMs = 0;
  let asleepMs = 0;
  beforeAll(async () => {
    const clock = { now: () => Date.now() + aheadMs, monotonic: () => performance.now() - asleepMs };
    service = await startService({ DATABASE_URL: databaseUrl }, clock);
  });

  it('by seconds says so, and writes the time of the database', async () => {
    aheadMs = 20_000;
    const readState = () => call(service, 'GET', '/readyz/writes');
    await waitUntil(async () => (await readState()).status === 200, 'all workers have started');
    for (const path of ['/readyz', '/readyz/writes']) {
      const { body } = await call(service, 'GET', path);
      expect(body.checks.clock).toMatch(/^(19|20) s ahead of the database$/);
    }
    const user = await signUp(service);
    const sessions = await query<{ ahead: number }>(
      databaseUrl,
      'select extract(epoch from created_at - now())::float8 as ahead from sessions where user_id = $1',
      [user.id],
    );
    expect(sessions[0]?.ahead).toBeLessThan(CLOSE_MS / 1_000);
  });

  it('by nothing, on a computer that was asleep for an hour, writes at once', async () => {
    aheadMs = 0;
    asleepMs = 3_600_000;
    expect((await signUp(service)).response.status).toBe(201);
    const { body } = await call(service, 'GET', '/readyz');
    expect(body.checks.clock).toBe('ok');
  });

  it('by more than thirty seconds refuses writes, and goes on with reads', async () => {
    const user = await signUp(service);
    for (const seconds of [40, -2 * 86_400]) {
      aheadMs = seconds * 1_000;
      const refused = await signUp(service);
      expect([refused.response.status, refused.response.body.code]).toEqual([503, 'UNAVAILABLE']);
      expect(refused.response.body.error).toMatch(
        /^The clock of this server is \d+ s (ahead of|behind) the database: it changes nothing until that is corrected\.$/,
      );
      const patched = await call(service, 'PATCH', '/api/v1/me', { token: user.token, body: { name: 'Grace' } });
      expect(patched.status).toBe(503);
      expect((await call(service, 'GET', '/readyz/writes')).body.error).toMatch(
        /clock \(\d+ s (ahead of|behind) the database\)/,
      );
      expect((await call(service, 'GET', '/readyz')).status).toBe(200);
      expect((await call(service, 'GET', '/api/v1/me', { token: user.token })).body.user.name).toBe(user.name);
      expect((await lookUp(service, Buffer.alloc(32, 1).toString('base64'))).body).toEqual({ matches: [] });
      const lookups = { fingerprints: [`0x${'01'.repeat(32)}`] };
      expect((await call(service, 'POST', '/api/v1/public/lookups', { body: lookups })).status).toBe(200);
    }
    aheadMs = 0;
    expect((await signUp(service)).response.status).toBe(201);
  });
});
