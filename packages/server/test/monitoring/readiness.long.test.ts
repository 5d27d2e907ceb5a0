// Readiness tells reads from writes, and answers although a part hangs.

import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toTestFile } from '../../../../test/support/files.js';
import { createDatabase, startPostgres, type TestPostgres } from '../../../../test/support/postgres.js';
import { call, type ServiceProcess, startServiceProcess } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { lookUp } from '../support/resolution.js';

let postgres: TestPostgres;
let service: ServiceProcess;
/** Accepts connections and never responds. */
const bucket = createServer();

beforeAll(async () => {
  bucket.listen(0, '127.0.0.1');
  await once(bucket, 'listening');
  const address = bucket.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  postgres = await startPostgres();
  service = await startServiceProcess({
    DATABASE_URL: await createDatabase(postgres.url),
    STORAGE_URL: 's3://published',
    AWS_ENDPOINT_URL: `http://127.0.0.1:${address.port}`,
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'not a secret',
  });
});

afterAll(async () => {
  await service.end('SIGKILL');
  await postgres.remove();
  bucket.close();
});

const readiness = (path = '/readyz') => call(service, 'GET', path);
const anyLookUp = () => lookUp(service, toTestFile(Buffer.from('never registered')).value);

describe('with a file store that hangs', () => {
  it('reads go on, and only writes are not ready', async () => {
    expect(await readiness()).toMatchObject({
      status: 200,
      body: { status: 'ready', checks: { database: 'ok', fileReads: 'ok', files: 'unavailable', signer: 'ok' } },
    });
    expect(await readiness('/readyz/writes')).toMatchObject({
      status: 503,
      body: { error: 'Not ready: files.', code: 'UNAVAILABLE' },
    });
    expect(await anyLookUp()).toMatchObject({ status: 200, body: { matches: [] } });
  });
});

describe('with a media process that hangs', () => {
  it('reads are not ready, until it is replaced', async () => {
    await waitUntil(async () => (await findMediaProcesses()).length > 0, 'a media process runs');
    const pids = await findMediaProcesses();
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    let response = await readiness();
    await waitUntil(async () => {
      response = await readiness();
      return response.status === 503;
    }, 'the process is found to hang');
    expect(response.body.error).toBe('Not ready: media.');
    expect(await anyLookUp()).toMatchObject({ status: 200, body: { matches: [] } });
    // The service kills and replaces it.
    await waitUntil(async () => (await readiness()).status === 200, 'another process works');
    expect(await findMediaProcesses()).not.toEqual(expect.arrayContaining(pids));
  });
});

/** Children of the service. */
async function findMediaProcesses(): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const isMediaProcess = async (pid: string) => {
    const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
    const isChild = (await read('status')).includes(`\nPPid:\t${service.process.pid}\n`);
    return isChild && (await read('cmdline')).includes('mediaWorker.js');
  };
  const found = await Promise.all(pids.map(async (pid) => ((await isMediaProcess(pid)) ? [Number(pid)] : [])));
  return found.flat();
}

describe('with a database that hangs', () => {
  let resume = () => {};
  beforeAll(async () => {
    resume = await postgres.pause();
  });
  afterAll(() => resume());

  it('readiness names it, before requests that need it give up', async () => {
    const lookup = anyLookUp();
    const first = await Promise.race([readiness(), lookup]);
    expect(first).toMatchObject({ status: 503, body: { error: 'Not ready: database.', code: 'UNAVAILABLE' } });
    expect((await readiness('/readyz/writes')).body.error).toBe('Not ready: database, files.');
    expect((await readiness('/healthz')).status).toBe(200);
    expect((await lookup).status).toBe(503);
  });

  it('the metrics say so too, and checks that hang do not pile up', async () => {
    for (let round = 0; round < 3; round += 1) await Promise.all(Array.from({ length: 20 }, () => readiness()));
    const { status, body } = await call(service, 'GET', '/metrics');
    expect(status).toBe(200);
    expect(body).toMatch(/^readiness_check_ok\{check="database"\} 0$/m);
    expect(body).toMatch(/^readiness_check_ok\{check="fileReads"\} 1$/m);
    expect(body).not.toMatch(/^chain_pending_artifacts /m);
    // Fewer than one for each of the 60 requests: background work waits for the database as well.
    expect(
      value(body, 'database_pool_connections{state="in_use"}') + value(body, 'database_pool_waiting'),
    ).toBeLessThan(20);
  });

  it('it is ready again when the database responds again', async () => {
    resume();
    await expect
      .poll(readiness, { timeout: 60_000 })
      .toMatchObject({ status: 200, body: { checks: { database: 'ok' } } });
  });
});

function value(metrics: string, name: string): number {
  const line = metrics.split('\n').find((text) => text.startsWith(`${name} `));
  return Number(line?.slice(name.length));
}
