// The HTTP layer: error format, limits, request IDs, logs and metrics.

import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { newFingerprint } from '../../../../test/support/artifacts.js';
import { createDatabase } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call, type Service, startService } from '../../../../test/support/service.js';
import { WorkerPool } from '../../src/workers/pool.js';
import { buildBareServer } from '../support/bareServer.js';
import { exchange, parseRaw } from '../support/rawHttp.js';

let service: Service;
let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await createDatabase(inject('postgresUrl'));
  service = await startService({ DATABASE_URL: databaseUrl, JWT_SECRET: 'shared by the processes of this test' });
});

const portOf = ({ url }: Service) => Number(new URL(url).port);

describe('every error has the shape {error, code}', () => {
  const login = '/api/v1/auth/login';
  const json = { 'content-type': 'application/json' };

  it.each([
    ['an unknown path', 404, 'NOT_FOUND', 'GET', '/nothing/here', {}],
    ['an unknown path below the API', 404, 'NOT_FOUND', 'POST', '/api/v1/nothing', { headers: json, body: '{}' }],
    ['a method that the path does not have', 405, 'METHOD_NOT_ALLOWED', 'PATCH', '/api/v1/subscription', {}],
    ['an unknown method', 405, 'METHOD_NOT_ALLOWED', 'PROPFIND', '/api/v1/me', {}],
    ['an unknown method of an unknown path', 404, 'NOT_FOUND', 'PROPFIND', '/api/v1/you', {}],
    ['broken JSON', 400, 'BAD_REQUEST', 'POST', login, { headers: json, body: '{"email":' }],
    ['an empty JSON body', 400, 'BAD_REQUEST', 'POST', login, { headers: json, body: '' }],
    ['no body', 400, 'BAD_REQUEST', 'POST', login, {}],
    ['a body that is null', 400, 'BAD_REQUEST', 'POST', login, { headers: json, body: 'null' }],
    ['a body that is an array', 400, 'BAD_REQUEST', 'POST', login, { headers: json, body: '[]' }],
    [
      'a body that is not UTF-8',
      400,
      'BAD_REQUEST',
      'POST',
      login,
      { headers: json, body: Buffer.from('7b22a022', 'hex') },
    ],
    [
      'a body nested 1,000 deep',
      400,
      'BAD_REQUEST',
      'POST',
      login,
      { headers: json, body: '['.repeat(1_000) + ']'.repeat(1_000) },
    ],
    [
      'plain text',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      'POST',
      login,
      { headers: { 'content-type': 'text/plain' }, body: '{}' },
    ],
    [
      'a form',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      'POST',
      login,
      { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=b' },
    ],
    [
      'a media type that is none',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      'POST',
      login,
      { headers: { 'content-type': 'json' }, body: '{}' },
    ],
    ['an address of 9,000 characters', 414, 'URI_TOO_LONG', 'GET', `/${'a'.repeat(9000)}`, {}],
    ['an id of 3,000 characters', 414, 'URI_TOO_LONG', 'PUT', `/api/operator/users/${'a'.repeat(3000)}/tier`, {}],
    ['an address with a broken escape', 400, 'BAD_REQUEST', 'GET', '/api/%zz', {}],
  ] as const)('%s: %i %s', async (_, status, code, method, path, init) => {
    const response = await fetch(`${service.url}${path}`, { method, ...init });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('x-request-id')).toBeTruthy();
    expect(await response.json()).toMatchObject({ error: expect.stringMatching(/\w/), code });
  });

  it.each([
    ['garbage', 400, 'BAD_REQUEST', 'hello?\r\n\r\n'],
    ['TLS on a plain port', 400, 'BAD_REQUEST', '\u0016\u0003\u0001\u0000'],
    [
      'a header of 10 MB',
      431,
      'HEADERS_TOO_LARGE',
      `GET / HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(10_000_000)}\r\n\r\n`,
    ],
    ['an address of 10 MB', 414, 'URI_TOO_LONG', `GET /${'a'.repeat(10_000_000)} HTTP/1.1\r\nhost: a\r\n\r\n`],
  ])('%s on the wire: %i %s', async (_, status, code, text) => {
    const response = parseRaw(await exchange(portOf(service), (socket) => socket.write(text)));
    expect([response.status, response.body.code]).toEqual([status, code]);
    expect(response.head).toContain('x-request-id: ');
    expect((await call(service, 'GET', '/healthz')).status).toBe(200);
  });
});

describe('a path', () => {
  const id = randomUUID();
  it.each([
    ['PUT', '/api/v1/me', 'DELETE, GET, HEAD, PATCH'],
    ['DELETE', '/api/v1/marks', 'GET, HEAD, POST'],
    ['OPTIONS', '/api/v1/marks', 'GET, HEAD, POST'],
    ['POST', `/api/v1/marks/${id}`, 'GET, HEAD, PUT'],
    ['PUT', `/api/v1/marks/${id}/members/${id}?a=b`, 'DELETE'],
    ['GET', '/api/v1/auth/login', 'POST'],
    ['DELETE', `/api/c2pa/manifests/${id}`, 'GET, HEAD, OPTIONS'],
    ['PUT', `/cdn/${id}.json`, 'GET, HEAD'],
    ['POST', '/api/reference', 'GET, HEAD'],
    ['POST', `/artifacts/${newFingerprint()}`, 'GET, HEAD'],
  ])('refuses %s %s and lists what it allows', async (method, path, allowed) => {
    for (const accept of ['application/json', 'text/html']) {
      const { status, headers, body } = await call(service, method, path, { headers: { accept } });
      expect([status, headers.get('allow'), body.code]).toEqual([405, allowed, 'METHOD_NOT_ALLOWED']);
    }
  });

  it('that does not exist is 404, also below one that allows preflight requests', async () => {
    expect((await call(service, 'POST', '/api/c2pa/nothing')).status).toBe(404);
    expect((await call(service, 'OPTIONS', '/api/v1/nothing')).status).toBe(404);
    expect((await fetch(`${service.url}/api/v1/me`, { method: 'HEAD' })).status).toBe(401);
  });

  it('that has a form for each Accept says so, also with an error', async () => {
    const vary = async (method: string, path: string, accept: string) =>
      (await fetch(`${service.url}${path}`, { method, headers: { accept } })).headers.get('vary');
    for (const accept of ['application/json', 'application/c2pa', 'text/html']) {
      expect(await vary('GET', `/api/c2pa/manifests/${id}`, accept)).toBe('Accept');
      expect(await vary('POST', '/api/c2pa/manifests', accept)).toBe('Accept');
      expect(await vary('GET', '/nothing/here', accept)).toMatch(/^accept/);
      expect(await vary('GET', '/api/v1/me', accept)).toBeNull();
    }
  });
});

describe('what is wrong with a request', () => {
  const fingerprint = '0x followed by 64 lower-case hex digits';
  const name =
    'a name with a visible character, without invisible characters, bidirectional overrides, check marks or the word ' +
    '"verified" (1 to 120 characters)';
  const marks = ['artifact', 'mark'].map((kind) => `/api/v1/public/${kind}s/x`);

  it.each([
    [
      'POST',
      '/api/v1/auth/signup',
      {},
      '"email" is missing. 2 more fields are not valid.',
      ['/email', '/password', '/name'],
    ],
    [
      'POST',
      '/api/v1/auth/signup',
      { email: 'a', password: 1, name: 'Ada' },
      /^"email" must be an email address/,
      ['/email', '/password'],
    ],
    [
      'POST',
      '/api/v1/auth/signup',
      { email: 'a@b', password: 'x'.repeat(10), name: '\u202E' },
      `"name" must be ${name}.`,
      ['/name'],
    ],
    ['POST', '/api/v1/auth/signup', [], 'The body must be a JSON object.', ['']],
    [
      'POST',
      '/api/c2pa/matches/byBinding?maxResults=0',
      { alg: 1 },
      '"maxResults" must be an integer of at least 1. 2 more fields are not valid.',
      ['/maxResults', '/alg', '/value'],
    ],
    [
      'GET',
      '/api/v1/gallery/marks?limit=0&cursor=x&query=%00',
      undefined,
      /2 more fields are not valid\.$/,
      ['/query', '/limit', '/cursor'],
    ],
    [
      'GET',
      `${marks[0]}?wait=x`,
      undefined,
      `"fingerprint" must be ${fingerprint}. 1 more field is not valid.`,
      ['/fingerprint', '/wait'],
    ],
  ])('is listed whole: %s %s %j', async (method, path, body, error, paths) => {
    const response = await call(service, method, path, body === undefined ? {} : { body });
    expect([response.status, response.body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(response.body.error).toEqual(typeof error === 'string' ? error : expect.stringMatching(error));
    const problems: { path: string; message: string }[] = response.body.problems;
    expect(problems.map((problem) => problem.path)).toEqual(paths);
    for (const { message } of problems) expect(message).toMatch(/\w.*\.$/);
  });

  it('is not listed for an ID that cannot exist', async () => {
    expect((await call(service, 'GET', marks[1] ?? '')).body).toEqual({ error: expect.any(String), code: 'NOT_FOUND' });
  });
});

describe('a body of 1 GB', () => {
  const chunk = Buffer.alloc(1_048_576, ' ');

  /** The number of bytes the client could send, and the response. */
  async function send(headers: Record<string, string>) {
    let sent = 0;
    const request = httpRequest(`${service.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
    });
    request.on('error', () => {});
    const responded = once(request, 'response');
    const body = Readable.from(
      (async function* () {
        while (sent < 1_073_741_824 && !request.destroyed) {
          sent += chunk.length;
          yield chunk;
        }
      })(),
    );
    body.on('error', () => {});
    body.pipe(request);
    const [response] = await responded;
    response.setEncoding('utf8');
    const text = (await response.toArray().catch(() => [])).join('');
    request.destroy();
    return { status: response.statusCode, body: JSON.parse(text), sent };
  }

  it.each([
    ['announced', { 'content-length': '1073741824' }],
    ['in chunks', {}],
  ])('%s is rejected with 413 long before it has arrived', async (_, headers) => {
    const { status, body, sent } = await send(headers);
    expect([status, body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(sent).toBeLessThan(64 * 1_048_576);
  });
});

describe('a request that needs a worker', () => {
  it.each([
    ['takes too long', 'spin', 1],
    ['ends', 'leave', 60_000],
  ] as const)('that %s is 503 with Retry-After', async (_, job, jobTimeoutMs) => {
    const pool = new WorkerPool<Record<'spin' | 'leave', (nothing?: undefined) => never>>({
      file: new URL('../support/obedientWorker.mjs', import.meta.url),
      maxWorkers: 1,
      maxQueuedJobs: 0,
      jobTimeoutMs,
    });
    const app = buildBareServer({});
    app.get('/work', () => pool.run(job, undefined));
    const { statusCode, headers, body } = await app.inject('/work');
    await Promise.all([app.close(), pool.close()]);
    expect([statusCode, headers['retry-after']]).toEqual([503, '2']);
    expect(JSON.parse(body)).toEqual({ error: 'The service could not respond in time.', code: 'UNAVAILABLE' });
  });
});

describe('request IDs', () => {
  it('are created for requests without one, and kept if they are harmless', async () => {
    const made = await call(service, 'GET', '/healthz');
    expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}$/);
    const kept = await call(service, 'GET', '/api/v1/me', { headers: { 'x-request-id': 'my-request.17' } });
    expect(kept.headers.get('x-request-id')).toBe('my-request.17');
    for (const harmful of ['a b', 'a'.repeat(65), '{"x":1}']) {
      const { headers } = await call(service, 'GET', '/healthz', { headers: { 'x-request-id': harmful } });
      expect(headers.get('x-request-id')).not.toBe(harmful);
    }
    const logged = () =>
      service
        .output()
        .log.split('\n')
        .filter((line) => line.includes('my-request.17'))
        .map((line): unknown => JSON.parse(line));
    // The response may arrive before the log line.
    await expect
      .poll(logged)
      .toMatchObject([{ requestId: 'my-request.17', method: 'GET', route: '/api/v1/me', status: 401 }]);
  });
});

describe('/metrics', () => {
  it('counts requests by route, not by URL', async () => {
    await call(service, 'GET', '/no/such/path');
    await call(service, 'GET', '/api/v1/me');
    const { body, headers } = await call(service, 'GET', '/metrics');
    expect(headers.get('content-type')).toMatch(/^text\/plain/);
    expect(body).toMatch(/http_requests_total\{method="GET",route="\/api\/v1\/me",status="401"\} \d/);
    expect(body).not.toContain('/no/such/path');
    expect(body).toMatch(/^process_resident_memory_bytes \d/m);
  });
});

describe('a worker', () => {
  it('serves only health endpoints', async () => {
    const worker = await startService({ DATABASE_URL: databaseUrl, ROLE: 'worker' });
    expect((await call(worker, 'GET', '/readyz')).status).toBe(200);
    expect((await call(worker, 'GET', '/metrics')).status).toBe(200);
    for (const path of ['/', '/api/v1/me', '/api/reference']) {
      expect((await call(worker, 'GET', path)).status).toBe(404);
    }
  });
});
