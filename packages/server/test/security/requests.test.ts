// Path traversal, header injection and prototype keys: text of a request that must not become a path, a header or an object.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, createUser, type TestUser } from '../../../../test/support/accounts.js';
import {
  BOUNDARY,
  createArtifact,
  fieldParts,
  filePart,
  newArtifact,
  newFingerprint,
  type Registry,
  sendForm,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { call } from '../../../../test/support/service.js';
import { exchange, type WireRequest } from '../fuzz/wire.js';

const OUTSIDE = 'text of a file that is not published';
let service: Registry;
let port: number;
let user: TestUser;
let markId: string;
let artifactId: string;

beforeAll(async () => {
  service = await startRegistry(await unreachableChain());
  port = Number(new URL(service.url).port);
  user = await createUser(service);
  markId = (await createMark(service, user)).body.id;
  artifactId = (await createArtifact(service, user, newArtifact({ markId }))).body.id;
  // Beside and among the published files.
  for (const name of ['outside.json', 'public/notes.json', `public/${artifactId}.txt`]) {
    await writeFile(join(service.dataDir, name), OUTSIDE);
  }
});

const send = (target: string, headers: WireRequest['headers'] = [], method = 'GET', body?: Buffer) =>
  exchange(port, {
    method,
    target,
    headers: [['host', 'a'], ['connection', 'close'], ['accept', 'text/html, */*'], ...headers],
    body,
    framing: 'length',
  });

describe('a path does not lead out of the published files', () => {
  const ways = [
    '../outside.json',
    '..%2foutside.json',
    '..%2Foutside.json',
    '..%252foutside.json',
    '%2e%2e/outside.json',
    '%2e%2e%2foutside.json',
    '%252e%252e%252foutside.json',
    '..\\outside.json',
    '..%5coutside.json',
    '..%255coutside.json',
    '..%c0%afoutside.json',
    '..%ef%bc%8foutside.json',
    '.%00./outside.json',
    '..;/outside.json',
    '....//outside.json',
    'x/../../outside.json',
    './../outside.json',
    '/outside.json',
    'notes.json',
    'notes.json%00.png',
    'notes.json?.png',
    'notes.json;.png',
    '%2e/notes.json',
    '',
    '.',
    '..',
    '%00',
  ];

  it.each(['/cdn/', '/assets/', '/badge/', '/api/c2pa/manifests/', '/marks/', '/artifacts/', '/', '//'])(
    'below %s',
    async (prefix) => {
      for (const way of [...ways, `${artifactId}.txt`, `${artifactId}.json%00.txt`, `${artifactId}%2ejson%2f..`]) {
        const response = await send(`${prefix}${way}`);
        // '/' and '//' with a dot are the front page.
        if (prefix.length > 2) expect([way, response?.status]).toEqual([way, expect.toSatisfy((code) => code >= 400)]);
        expect([way, String(response?.body)]).toEqual([way, expect.not.stringContaining(OUTSIDE)]);
      }
    },
  );

  it('and a published file has exactly one name', async () => {
    expect((await send(`/cdn/${artifactId}.json`))?.status).toBe(200);
    for (const name of [
      `${artifactId.toUpperCase()}.json`,
      `${artifactId}.JSON`,
      `${artifactId}.json/`,
      `./${artifactId}`,
    ]) {
      expect([name, (await send(`/cdn/${name}`))?.status]).toEqual([name, 404]);
    }
  });
});

describe('text of a request does not become a header of the response', () => {
  const INJECTED = 'x-injected: 1';
  const breaks = ['\r\n', '\n', '\r', '\u0085', '\u2028'];
  const encoded = breaks.map((text) => encodeURIComponent(text));

  it.each<[string, string, [string, string][]]>([
    ...encoded.flatMap((text): [string, string, [string, string][]][] => [
      [`in an unknown path (${text})`, `/nothing${text}${INJECTED}`, []],
      [`in the path of a redirect (${text})`, `/favicon.ico${text}${INJECTED}`, []],
      [`in a file name (${text})`, `/cdn/a.json${text}${INJECTED}`, []],
      [`in an id (${text})`, `/api/v1/public/marks/${text}${INJECTED}`, []],
      [`in a query (${text})`, `/api/v1/gallery/marks?query=${text}${INJECTED}`, []],
    ]),
    ['in a request id', '/healthz', [['x-request-id', 'a%0d%0ax-injected: 1']]],
    ['in a request id with a tab', '/healthz', [['x-request-id', `a\t${INJECTED}`]]],
    ['in a request id in Latin-1', '/healthz', [['x-request-id', '\u008a\u008dx-injected: 1']]],
    ['in the origin', '/api/c2pa/services/status', [['origin', `null\u00a0${INJECTED}`]]],
    ['in the accepted types', '/api/c2pa/services/status', [['accept', `a/b;${INJECTED}`]]],
    ['in the etag', '/', [['if-none-match', `"${INJECTED}"`]]],
    ['in a range', '/', [['range', `bytes=0-${INJECTED}`]]],
    [
      'in forwarded headers',
      '/favicon.ico',
      [
        ['x-forwarded-host', 'x-injected.example'],
        ['forwarded', 'host=x-injected'],
      ],
    ],
  ])('%s', async (_, target, headers) => {
    const response = await send(target, headers);
    expect(response?.headers.size).toBeGreaterThan(3);
    expect(JSON.stringify([...(response?.headers ?? [])])).not.toContain('injected');
  });

  it.each([
    ['a file part', [filePart('x', `a\r\n${INJECTED}.png`)]],
    ['a file part, encoded', [{ name: 'file', content: 'x', filename: `filename*=utf-8''a%0d%0a${INJECTED}.png` }]],
    ['a field', [filePart('x'), ...fieldParts({ filename: `a\r\n${INJECTED}.png` })]],
  ])('in the name of %s', async (_, parts) => {
    const path = '/api/c2pa/manifests' as const;
    const response = await sendForm(service, user, [...parts, ...fieldParts({ markId })], { path });
    expect(JSON.stringify([...response.headers])).not.toContain('injected');
    if (response.status === 201) expect(JSON.stringify(response.body)).not.toContain('injected');
    else expect(response.status).toBe(400);
  });
});

describe('keys of prototypes', () => {
  const create = (body: string) =>
    send(
      '/api/v1/marks',
      [
        ['authorization', `Bearer ${user.token}`],
        ['content-type', 'application/json'],
      ],
      'POST',
      Buffer.from(body),
    );

  it.each([
    ['__proto__', '{"name":"a","__proto__":{"visibility":"public"}}'],
    ['__proto__ of a value', '{"name":"a","__proto__":null}'],
    ['__proto__ with escapes', '{"name":"a","\\u005f\\u005fproto\\u005f\\u005f":{}}'],
    ['constructor', '{"name":"a","constructor":{"prototype":{"polluted":true}}}'],
    ['constructor with an escape', '{"name":"a","c\\u006fnstructor":1}'],
    ['a key deep inside', `{"name":"a","x":${'['.repeat(500)}{"__proto__":{}}${']'.repeat(500)}}`],
    ['a key in a list', '{"name":"a","x":[1,[{"constructor":1}]]}'],
    ['only such a key', '{"__proto__":{"name":"a"}}'],
  ])('are refused in JSON: %s', async (_, body) => {
    expect((await create(body))?.status).toBe(400);
  });

  it.each(['__proto__', 'constructor'])('are refused as the name of a form field: %s', async (name) => {
    const parts = [filePart(newFingerprint()), ...fieldParts({ markId }), { name, content: '{"filename":"x"}' }];
    expect((await sendForm(service, user, parts)).status).toBe(400);
  });

  it.each([
    '__proto__[name]',
    'constructor.prototype.name',
    '__proto__.name',
    'prototype',
    'toString',
    'hasOwnProperty',
  ])('mean nothing in other names: %s', async (name) => {
    const form = [...fieldParts({ markId, [name]: 'polluted' }), filePart(name, 'a.txt')];
    const manifest = await sendForm(service, user, form, { path: '/api/c2pa/manifests' });
    expect(manifest.status).toBe(201);
    const refused = await sendForm(service, user, form);
    expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('Unknown field')]);
    const query = new URLSearchParams({ [name]: 'polluted', limit: '1' });
    expect((await call(service, 'GET', `/api/v1/gallery/marks?${query}`)).status).toBe(200);
    const header: [string, string] = [name.replace(/[[\]]/g, ''), 'polluted'];
    expect((await send('/healthz', [header]))?.status).toBe(200);
  });

  it.each(['__proto__', 'constructor', 'toString'])('are no ids and no values: %s', async (name) => {
    const { token } = user;
    for (const path of [`marks/${name}`, `public/marks/${name}`, `organizations/${name}`]) {
      expect([path, (await call(service, 'GET', `/api/v1/${path}`, { token })).status]).toEqual([path, 404]);
    }
    const license = await call(service, 'POST', '/api/v1/marks', { token, body: { name: 'a', license: name } });
    const tier = await call(service, 'PUT', '/api/v1/subscription', { token, body: { tier: name } });
    const alg = await call(service, 'GET', `/api/c2pa/matches/byBinding?alg=${name}&value=AA`);
    expect([license.status, tier.status, alg.status]).toEqual([400, 400, 400]);
  });

  it('have changed nothing: objects of the service have no further properties', async () => {
    const { body } = await call(service, 'GET', '/api/v1/marks', { token: user.token });
    expect(body).toMatchObject([{ id: markId, name: 'Mark' }]);
    expect(JSON.stringify((await call(service, 'GET', '/api/tiers')).body)).not.toContain('polluted');
    expect((await call(service, 'GET', '/api/v1/me')).body).toEqual({
      error: expect.any(String),
      code: 'UNAUTHORIZED',
    });
  });
});

describe('a form', () => {
  const open = `--${BOUNDARY}\r\ncontent-disposition: form-data; name=`;
  it('cannot name its file after a path', async () => {
    const form = Buffer.from(
      `${open}"markId"\r\n\r\n${markId}\r\n${open}"file"; filename="../../etc/passwd"\r\n\r\nanother file\r\n--${BOUNDARY}--\r\n`,
    );
    const { status, body } = await sendForm(service, user, form, { path: '/api/c2pa/manifests' });
    expect(status).toBe(201);
    const { body: artifact } = await call(service, 'GET', `/api/v1/artifacts/${body.fingerprint}`, {
      token: user.token,
    });
    // The name is text for display; no path is made of it.
    expect(artifact.metadata.filename).toBe('../../etc/passwd');
    expect(body.manifestUrl).toBe(`${service.url}/cdn/${body.manifestId}.json`);
  });
});
