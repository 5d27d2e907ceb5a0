// The resolution API is public: from any page, with any credentials or none.

import { beforeAll, describe, expect, it } from 'vitest';
import { statusAndCode } from '../../../../test/support/accounts.js';
import type { TestFile } from '../../../../test/support/files.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call, type Service } from '../../../../test/support/service.js';
import { MAX_UPLOAD_BYTES, sendRaw, startServiceWithPhoto } from '../support/resolution.js';

const rubbish = 'Bearer rubbish';

let service: Service;
let photo: TestFile;
let photoId: string;

beforeAll(async () => {
  ({ service, photo, photoId } = await startServiceWithPhoto());
});

describe('the public API', () => {
  const requests = (): [method: string, path: string, init: { headers?: Record<string, string>; body?: Buffer }][] => {
    const binding = `/api/c2pa/matches/byBinding?alg=sha256&value=${encodeURIComponent(photo.value)}`;
    const json = { 'content-type': 'application/json' };
    const unknown = randomUUID();
    return [
      ['GET', '/api/c2pa/services/supportedAlgorithms', {}],
      ['GET', '/api/c2pa/services/capabilities', {}],
      ['GET', '/api/c2pa/services/status', {}],
      ['GET', '/.well-known/c2pa-soft-binding-resolution', {}],
      ['GET', '/c2pa/contract', {}],
      ['GET', binding, {}],
      [
        'POST',
        '/api/c2pa/matches/byBinding',
        { headers: json, body: Buffer.from(JSON.stringify({ alg: 'sha256', value: photo.value })) },
      ],
      ['POST', '/api/c2pa/matches/byContent', { body: photo.bytes }],
      ['GET', `/api/c2pa/manifests/${photoId}`, {}],
      ['GET', `/api/c2pa/manifests/${photoId}`, { headers: { accept: 'application/c2pa' } }],
      // Rejected requests.
      ['GET', `/api/c2pa/manifests/${unknown}`, {}],
      ['GET', '/api/c2pa/matches/byBinding?alg=md5&value=', {}],
      ['POST', '/api/c2pa/matches/byBinding', { headers: json, body: Buffer.from('{') }],
      ['POST', '/api/c2pa/matches/byBinding', { headers: { 'content-type': 'text/plain' }, body: Buffer.from('{}') }],
      ['POST', '/api/c2pa/matches/byContent', { body: Buffer.alloc(MAX_UPLOAD_BYTES + 1) }],
      ['GET', '/api/c2pa/nothing/here', {}],
      ['GET', `/api/c2pa/manifests/%zz`, {}],
      ['GET', `/api/c2pa/matches/byBinding?value=${'A'.repeat(9_000)}`, {}],
      ['POST', '/api/c2pa/manifests', { headers: json, body: Buffer.from('{}') }],
    ];
  };
  const origin = { origin: 'https://pages.example' };

  it('is readable by pages of any origin, errors included, and sets no cookies', async () => {
    for (const [method, path, { headers, body }] of requests()) {
      const answer = await sendRaw(service, path, {
        method,
        headers: { ...headers, ...origin },
        ...(body && { body }),
      });
      const { 'access-control-allow-origin': allowed, 'set-cookie': cookie } = answer.headers;
      expect([path, allowed, cookie]).toEqual([path, '*', undefined]);
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    }
  });

  it('ignores invalid credentials', async () => {
    for (const [method, path, { headers, body }] of requests().slice(0, 11)) {
      const send = (more: Record<string, string>) =>
        sendRaw(service, path, { method, headers: { ...headers, ...more }, ...(body && { body }) });
      const expected = (await send({})).status;
      for (const authorization of [
        'Bearer rubbish',
        'Basic dXNlcjpwYXNz',
        '',
        'Bearer',
        'Bearer svc_0000000000000000000000',
      ]) {
        expect([path, (await send({ authorization })).status]).toEqual([path, expected]);
      }
      expect([path, (await send({ cookie: 'session=1' })).status]).toEqual([path, expected]);
    }
  });

  it('needs credentials to create a manifest', async () => {
    const answer = await call(service, 'POST', '/api/c2pa/manifests', {
      body: {},
      headers: { authorization: rubbish },
    });
    expect(statusAndCode(answer)).toEqual([401, 'UNAUTHORIZED']);
    expect(statusAndCode(await call(service, 'POST', '/api/c2pa/manifests', { body: {} }))).toEqual([
      401,
      'UNAUTHORIZED',
    ]);
  });

  it.each([
    ['/api/c2pa/matches/byBinding', 'POST', 'content-type'],
    ['/api/c2pa/matches/byContent', 'POST', 'content-type'],
    ['/api/c2pa/manifests', 'POST', 'authorization, content-type, idempotency-key'],
    ['/api/c2pa/manifests/some-id', 'GET', 'x-request-id'],
    ['/api/c2pa/services/status', 'GET', 'x-request-id'],
    ['/c2pa/contract', 'GET', 'x-request-id'],
    ['/.well-known/c2pa-soft-binding-resolution', 'GET', 'x-request-id'],
  ])('answers preflight requests for %s', async (path, method, headers) => {
    const asked = { 'access-control-request-method': method, 'access-control-request-headers': headers };
    const answer = await call(service, 'OPTIONS', path, { headers: { ...origin, ...asked } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    const allowed = (name: string) => (answer.headers.get(name) ?? '').toLowerCase().split(', ');
    expect(allowed('access-control-allow-methods')).toContain(method.toLowerCase());
    expect(allowed('access-control-allow-headers')).toEqual(expect.arrayContaining(headers.split(', ')));
    expect(Number(answer.headers.get('access-control-max-age'))).toBeGreaterThan(0);
  });

  it('exposes the headers that locate a manifest', async () => {
    const { headers } = await call(service, 'GET', '/api/c2pa/services/status');
    const exposed = headers.get('access-control-expose-headers')?.toLowerCase().split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['link', 'location', 'x-request-id']));
  });

  it('does not open the rest of the API to pages', async () => {
    const { headers } = await call(service, 'GET', '/api/v1/me', { headers: origin });
    expect(headers.get('access-control-allow-origin')).toBeNull();
    const preflight = { ...origin, 'access-control-request-method': 'GET' };
    const answer = await call(service, 'OPTIONS', '/api/v1/me', { headers: preflight });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([405, null]);
  });
});
