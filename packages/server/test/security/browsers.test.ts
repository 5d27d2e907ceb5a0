// What browsers are told: which pages of other sites may read what, the policy of every document, and that names from users
// never become markup.

import { api, type Operation } from '@provenance-registry/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, type TestUser } from '../../../../test/support/accounts.js';
import {
  createArtifact,
  newFingerprint,
  type Registry,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { randomUUID } from '../../../../test/support/random.js';
import { call, signUp } from '../../../../test/support/service.js';

const BASE_URL = 'https://registry.example';
const CDN_URL = 'https://files.example/public';
const FOREIGN = 'https://elsewhere.example';

/** Breaks out of every kind of markup that text can be in. */
const HOSTILE = `"'><script>alert(1)</script><!--&lt;-->]]>`;

let service: Registry;
let owner: TestUser;
let markId: string;
let fingerprint: string;
let artifactId: string;

beforeAll(async () => {
  service = await startRegistry({ ...(await unreachableChain()), BASE_URL, CDN_URL, BILLING: 'operator' });
  owner = await signUp(service, { name: `Eve ${HOSTILE}` });
  markId = (await createMark(service, owner, { name: `Mark ${HOSTILE}` })).body.id;
  const fields = { markId, fingerprint: newFingerprint(), filename: `file ${HOSTILE}.svg`, mediaType: `text/html` };
  const { body } = await createArtifact(service, owner, fields);
  ({ fingerprint, id: artifactId } = body);
});

const get = async (path: string, headers: Record<string, string> = { accept: 'text/html' }, method = 'GET') => {
  const response = await fetch(`${service.url}${path}`, { method, headers, redirect: 'manual' });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe('pages of other sites', () => {
  const openPrefixes = ['/api/c2pa', '/api/v1/public', '/c2pa', '/.well-known'];
  const isOpen = ({ path }: Operation) =>
    openPrefixes.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
  const target = ({ path }: Operation) =>
    path.replace(/\{(\w+)\}/g, (_, name) => (name === 'fingerprint' ? fingerprint : randomUUID()));
  const operations = Object.entries(api) as [string, Operation][];

  it.each(operations)('may call %s only if it is public, and never with credentials', async (_, operation) => {
    const { method } = operation;
    const asked = {
      origin: FOREIGN,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization',
    };
    const preflight = await get(target(operation), asked, 'OPTIONS');
    const response = await get(target(operation), { origin: FOREIGN, cookie: 'session=1' }, method);
    for (const { headers } of [preflight, response]) {
      expect(headers.get('access-control-allow-origin')).toBe(isOpen(operation) ? '*' : null);
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      expect(headers.get('set-cookie')).toBeNull();
    }
    expect(preflight.status).toBe(isOpen(operation) ? 204 : 405);
    const allowed = (preflight.headers.get('access-control-allow-methods') ?? '').split(', ');
    expect(allowed.includes(method)).toBe(isOpen(operation));
  });

  it('get the same response as any other client: a cookie or an origin is no credential', async () => {
    for (const headers of [
      { origin: FOREIGN, cookie: `token=${owner.token}` },
      { origin: BASE_URL },
      { origin: 'null' },
    ]) {
      expect((await get('/api/v1/me', headers)).status).toBe(401);
    }
  });

  it('cannot send a form or text to an operation that changes something: JSON needs a preflight', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const body = JSON.stringify({ email: 'csrf@example.com', password: 'correct horse battery', name: 'Csrf' });
      const headers = { origin: FOREIGN, 'content-type': type };
      const { status } = await fetch(`${service.url}/api/v1/auth/signup`, { method: 'POST', headers, body });
      expect([type, status]).toEqual([type, 415]);
    }
  });

  it.each<[string, () => string, string | null]>([
    ['published files', () => `/cdn/${artifactId}.json`, '*'],
    ['the badge', () => `/badge/${fingerprint}.svg`, '*'],
    ['the badge’s script', () => '/badge.js', '*'],
    ['documents', () => '/', null],
    ['the API reference', () => '/api/reference', null],
  ])('may read %s without credentials, or not at all', async (_, path, origin) => {
    const { headers } = await get(path(), { origin: FOREIGN });
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('every document', () => {
  const documents = [
    ...['/', '/gallery', '/login', '/signup', '/dashboard', '/dashboard/keys', '/nothing/here'],
    ...['/api/reference', '/api/reference/artifacts'],
    ...['/artifacts/0x12', '/marks/mine'],
  ];
  const paths = (): string[] => [...documents, `/artifacts/${fingerprint}`, `/marks/${markId}`];

  it('has a policy without inline scripts and styles, frames and other origins', async () => {
    for (const path of paths()) {
      const { headers } = await get(path);
      const policy = new Map(
        (headers.get('content-security-policy') ?? '').split('; ').map((part): [string, string] => {
          const [name = '', ...sources] = part.split(' ');
          return [name, sources.join(' ')];
        }),
      );
      expect([path, Object.fromEntries(policy)]).toMatchObject([
        path,
        { 'default-src': "'none'", 'frame-ancestors': "'none'", 'base-uri': "'none'" },
      ]);
      for (const [name, sources] of policy) {
        expect([path, name, sources]).toEqual([
          path,
          name,
          expect.not.stringMatching(/unsafe-inline|'unsafe-eval'|\*/),
        ]);
      }
      const others = [...policy.values()].join(' ').match(/https?:\/\/\S+/g) ?? [];
      expect([path, [...new Set(others)]]).toEqual([
        path,
        expect.toSatisfy((list: string[]) => list.every((origin) => origin === new URL(CDN_URL).origin)),
      ]);
    }
  });

  it('and every other response says what browsers must not do with it', async () => {
    const more = [
      '/healthz',
      '/api/v1/me',
      '/api/nothing',
      '/badge.js',
      '/theme.js',
      '/robots.txt',
      '/favicon.ico',
      '/api/%zz',
    ];
    for (const path of [...paths(), ...more, `/badge/${fingerprint}.svg`, '/api/openapi.json']) {
      const { headers } = await get(path);
      expect([path, Object.fromEntries(headers)]).toMatchObject([
        path,
        {
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'strict-transport-security': 'max-age=31536000',
        },
      ]);
      expect([path, headers.get('set-cookie'), headers.get('x-powered-by'), headers.get('server')]).toEqual([
        path,
        null,
        null,
        null,
      ]);
    }
    for (const path of paths()) {
      expect((await get(path)).headers.get('cross-origin-opener-policy')).toBe('same-origin');
    }
  });

  it('is not bound to HTTPS when BASE_URL is not', async () => {
    const plain = await startRegistry(await unreachableChain());
    const { headers } = await call(plain, 'GET', '/');
    expect(headers.get('strict-transport-security')).toBeNull();
  });

  it('is the same whatever cookies a visitor has: no cookie is read, set or told of', async () => {
    const cookie = `provenance-nodes=${encodeURIComponent('https://node.example')}`;
    const [without, withCookie] = await Promise.all(
      [{}, { cookie }].map((more) => get('/', { accept: 'text/html', ...more })),
    );
    for (const name of ['content-security-policy', 'etag', 'cache-control']) {
      expect([name, withCookie?.headers.get(name)]).toEqual([name, without?.headers.get(name)]);
    }
    expect(without?.headers.get('vary') ?? '').not.toContain('cookie');
    expect(withCookie?.headers.get('set-cookie')).toBeNull();
  });
});

describe('names that contain markup', () => {
  it('are text in documents', async () => {
    for (const path of [`/artifacts/${fingerprint}`, `/marks/${markId}`]) {
      const { status, text } = await get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
      // The page's own script and the theme's, and no other.
      expect(text.match(/<script/g)).toHaveLength(2);
      expect(text).not.toContain('<!--&');
      expect(text).toContain('&lt;!--&amp;lt;--&gt;');
    }
  });

  it('are text in the badge, which is well-formed XML without active content', async () => {
    const { headers, text } = await get(`/badge/${fingerprint}.svg`);
    expect(headers.get('content-security-policy')).toBe("default-src 'none'");
    expect(text).toContain('&lt;script&gt;');
    expect(text).not.toMatch(/<(script|style|foreignObject|a|image|img)|href|\bon\w+=|<!--|]]>/);
    const tags = [...text.matchAll(/<(\/?)(\w+)[^>]*?(\/?)>/g)];
    const depth = tags.reduce((sum, [, closes, , empty]) => sum + (closes ? -1 : empty ? 0 : 1), 0);
    expect(depth).toBe(0);
  });

  it('are returned as they are by the API, as JSON that no browser renders', async () => {
    const { headers, text } = await get(`/api/v1/public/artifacts/${fingerprint}`);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(JSON.parse(text).mark.name).toBe(`Mark ${HOSTILE}`);
    const { headers: unknown, text: error } = await get(`/api/<script>alert(1)</script>`);
    expect(unknown.get('content-type')).toBe('application/json; charset=utf-8');
    expect(JSON.parse(error).code).toBe('NOT_FOUND');
  });

  it('in a path are text too', async () => {
    const { text } = await get(`/artifacts/${encodeURIComponent(HOSTILE)}`);
    expect(text.match(/<script/g)).toHaveLength(2);
    expect(text).not.toContain('alert(1)');
  });
});
