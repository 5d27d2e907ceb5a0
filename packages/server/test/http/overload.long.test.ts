// What a service responds when its database or its workers are exhausted: 503 with Retry-After, never 500. Queues that are full:
// pdfCertificates.test.ts, uploadLimits.long.test.ts.

import { api } from '@provenance-registry/core';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../../../test/support/artifacts.js';
import { createMigratedDatabase, query } from '../../../../test/support/postgres.js';
import { findDescendants } from '../../../../test/support/processes.js';
import { randomInt } from '../../../../test/support/random.js';
import { createImageSigner } from '../../../../test/support/signedImages.js';
import {
  endsSession,
  logInAgain,
  type OperationId,
  renewed,
  send,
  startTenants,
  type Tenants,
} from '../security/tenants.js';
import { type CuttingProxy, startCuttingProxy } from '../support/cuttingProxy.js';
import { draw } from '../support/pictures.js';

/** No operation sends more statements. */
const MAX_STATEMENTS = 100;

const operations = Object.keys(api) as OperationId[];
/** It sends its pages one by one: a later one that fails ends the response without its end. */
const streamed: OperationId = 'exportAccount';

let proxy: CuttingProxy;
let tenants: Tenants;
beforeAll(async () => {
  proxy = await startCuttingProxy(await createMigratedDatabase());
  tenants = await startTenants({ DATABASE_URL: proxy.url });
});

/** As the owner, or as the operator where that is needed. */
async function sendAsOwner(id: OperationId, values = tenants.values) {
  const { owner, operator } = tenants.tokens;
  const { status, text } = await send(tenants.service, id, values, api[id].auth === 'operator' ? operator : owner);
  const retryAfter = /^retry-after: (\d+)$/m.exec(text)?.[1];
  return { id, status, ...(status >= 500 && { retryAfter, code: /"code":"(\w+)"/.exec(text)?.[1] }) };
}

const unavailable = { status: 503, retryAfter: '2', code: 'UNAVAILABLE' };

function expectNoFailures(): void {
  expect(tenants.service.output().log).not.toContain('request failed');
}

/** While no statement on any of the tables comes to its end. */
async function whileLocked<T>(tables: string, work: () => Promise<T>): Promise<T> {
  const blocker = new pg.Client({ connectionString: tenants.service.databaseUrl });
  await blocker.connect();
  try {
    await blocker.query(`begin; lock table ${tables} in access exclusive mode`);
    return await work();
  } finally {
    await blocker.end();
  }
}

describe('a connection to the database that breaks', () => {
  // Every third one: the seed decides which.
  it.each(operations)('before any statement of %s makes it unavailable', async (id) => {
    const values = { ...tenants.values, ...(await renewed[id]?.(tenants)) };
    for (let statement = 1 + randomInt(3); statement <= MAX_STATEMENTS; statement += 3) {
      proxy.arm(statement);
      const response = await sendAsOwner(id, values).catch((error: unknown) => {
        if (id === streamed) return { id, status: 200 };
        throw error;
      });
      const wasCut = proxy.disarm();
      // Where it was that of a chore, or of something that the response does without, nobody notices.
      if (response.status >= 500) expect({ statement, ...response }).toEqual({ statement, id, ...unavailable });
      if (!wasCut) break;
      expect(statement).toBeLessThan(MAX_STATEMENTS);
    }
    expectNoFailures();
    if (endsSession.includes(id)) await logInAgain(tenants, 'owner');
    await renewed[id]?.(tenants);
  });
});

describe('a database that does not get on', () => {
  it('makes operations unavailable that wait for a connection or a statement, and serves them afterwards', async () => {
    const [tables] = await query<{ names: string }>(
      tenants.service.databaseUrl,
      `select string_agg(format('%I', relname), ', ') as names from pg_class
       where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    );
    const responses = await whileLocked(String(tables?.names), () =>
      Promise.all(operations.map((id) => sendAsOwner(id))),
    );
    const failures = responses.filter(({ status }) => status >= 500);
    // All but those that read nothing of the database.
    expect(failures.length).toBeGreaterThan(operations.length / 2);
    expect(failures).toEqual(failures.map(({ id }) => ({ id, ...unavailable })));
    expectNoFailures();
    expect((await sendAsOwner('getMe')).status).toBe(200);
  });
});

describe('workers that are killed', () => {
  /** Jobs of the worker processes that handle untrusted files. */
  async function sendFiles(): Promise<number[]> {
    const markId = String(tenants.values['markId']);
    const { sign } = await createImageSigner();
    const [unsigned, one, other] = await Promise.all([drawPicture(), drawPicture(), drawPicture()]);
    const signed = await sign('image/png', one);
    return Promise.all([
      post('/api/c2pa/manifests', signed, { markId, fingerprint: fingerprintOf(signed), filename: 'picture.png' }),
      post('/api/v1/public/lookalikes', unsigned),
      post('/api/c2pa/matches/byContent', await sign('image/png', other)),
    ]);
  }

  async function post(path: string, file: Buffer<ArrayBuffer>, fields: Record<string, string> = {}): Promise<number> {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    body.set('file', new Blob([file], { type: 'image/png' }), 'picture.png');
    const headers = { authorization: `Bearer ${tenants.tokens.owner}`, accept: 'image/*' };
    const response = await fetch(`${tenants.service.url}${path}`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  }

  async function drawPicture(): Promise<Buffer<ArrayBuffer>> {
    return Buffer.from(
      await draw({ seed: randomInt(1_000_000), width: 96, height: 64, cell: 16 })
        .png()
        .toBuffer(),
    );
  }

  it('make the operations that wait for them unavailable, and serve the next ones', async () => {
    let isOver = false;
    const kill = async () => {
      while (!isOver) {
        const pids = await Promise.all(
          ['c2paWorker.js', 'mediaWorker.js'].map((name) => findDescendants(process.pid, name)),
        );
        for (const pid of pids.flat()) killIfRunning(pid);
      }
    };
    const killing = kill();
    const statuses = await sendFiles();
    isOver = true;
    await killing;
    expect(statuses).toContain(503);
    expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([]);
    expectNoFailures();
    expect((await sendFiles()).filter((status) => status >= 300)).toEqual([]);
  });
});

function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended since it was found.
  }
}
