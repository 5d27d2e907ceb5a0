// The page's documents and files over HTTP: heads for previews and search engines, caching; and the badge for other sites.
// Their policies: security/browsers.test.ts.

import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, createUser, type TestUser } from '../../../../test/support/accounts.js';
import {
  createArtifact,
  newFingerprint,
  type Registry,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { metaOf, titleOf, unescapeHtml } from '../support/htmlHeads.js';

const BASE_URL = 'https://registry.example';
const CDN_URL = 'https://files.example/public';
/** Breaks out of every kind of markup that text can be in. */
const HOSTILE = `"'><script>alert(1)</script><!-- & -->]]>`;

let service: Registry;
let owner: TestUser;
let openMark: { id: string };
let secretMark: { id: string };

beforeAll(async () => {
  service = await startRegistry({ ...(await unreachableChain()), BASE_URL, CDN_URL, BILLING: 'self-serve' });
  owner = await createUser(service, 'enterprise');
  const fields = { license: 'CC-BY-4.0', allowAiTraining: false };
  openMark = (await createMark(service, owner, { name: `Ada ${HOSTILE}`, ...fields })).body;
  await query(service.databaseUrl, "update marks set created_at = '2026-03-03T12:00:00Z' where id = $1", [openMark.id]);
  secretMark = (await createMark(service, owner, { name: 'Clandestine', visibility: 'private', ...fields })).body;
});

const register = async (markId: string, filename = 'sunrise.jpg', status = 2) => {
  const fields = { markId, fingerprint: newFingerprint(), filename, mediaType: 'image/jpeg' };
  const { body } = await createArtifact(service, owner, fields);
  const failure = status === 3 ? 'Refused by the chain.' : null;
  const sql = "update artifacts set status = $2, error_reason = $3, created_at = '2026-06-01T23:30:00Z' where id = $1";
  await query(service.databaseUrl, sql, [body.id, status, failure]);
  return body;
};

const asBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const get = async (path: string, headers: Record<string, string> = asBrowser, method = 'GET') => {
  const response = await fetch(`${service.url}${path}`, { method, headers, redirect: 'manual' });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe("an Artifact's document", () => {
  it('describes the Artifact in its head, with the card and the public URL', async () => {
    // The first of this Mark.
    const { fingerprint, id } = await register(openMark.id, `${HOSTILE}.jpg`);
    const { status, headers, text } = await get(`/artifacts/${fingerprint}`);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const title = `${HOSTILE}.jpg, registered by Ada ${HOSTILE} (no verified identity)`;
    expect([titleOf(text), metaOf(text, 'og:title')]).toEqual([`${title} · Provenance registry`, title]);
    const description =
      `Registered under the Mark Ada ${HOSTILE} by ${owner.name} since June 1, 2026 (UTC). No verified identity. ` +
      'Mark since March 3, 2026, 1 Artifact. ' +
      'License: Creative Commons Attribution 4.0 International. AI preferences: not allowed for data mining, AI inference, non-generative AI training and generative AI training. It is recorded on the blockchain.';
    expect([metaOf(text, 'description'), metaOf(text, 'og:description')]).toEqual([description, description]);
    expect(metaOf(text, 'og:url')).toBe(`${BASE_URL}/artifacts/${fingerprint}`);
    expect(text).toContain(`<link rel="canonical" href="${BASE_URL}/artifacts/${fingerprint}">`);
    expect(metaOf(text, 'og:image')).toBe(`${BASE_URL}/preview/${fingerprint}.png`);
    expect(text).toContain(`href="${CDN_URL}/${id}.png"`);
    expect(metaOf(text, 'twitter:card')).toBe('summary_large_image');
    expect(metaOf(text, 'robots')).toBeUndefined();
  });

  it('shows the registration without JavaScript, and escapes all of it', async () => {
    const { fingerprint, id } = await register(openMark.id, `${HOSTILE}.jpg`);
    const { text } = await get(`/artifacts/${fingerprint}`);
    const [, plain = ''] = /<noscript>([\s\S]*)<\/noscript>/.exec(text) ?? [];
    expect(unescapeHtml(plain)).toContain(
      `Registered under the Mark Ada ${HOSTILE} by ${owner.name} since June 1, 2026`,
    );
    expect(plain).toContain('<p>Only the fingerprint was sent: nothing shows that the registrant had the file.</p>');
    expect(plain).toContain(fingerprint);
    expect(plain).toContain(`href="${CDN_URL}/${id}.json"`);
    // The page's own two scripts, and no other.
    expect(text.match(/<script/g)).toHaveLength(2);
    expect(text).not.toContain('<!-- & -->');
  });

  it('shows no names under a private Mark, and is not indexed', async () => {
    const { fingerprint } = await register(secretMark.id, 'portrait.png');
    const { status, text } = await get(`/artifacts/${fingerprint}`);
    expect([status, titleOf(text)]).toEqual([200, 'An image, registered under a private Mark · Provenance registry']);
    expect(metaOf(text, 'description')).toBe(
      'Registered under a private Mark since June 1, 2026 (UTC). It is recorded on the blockchain.',
    );
    expect(metaOf(text, 'robots')).toBe('noindex');
    for (const secret of ['Clandestine', owner.name, 'portrait', 'Creative', 'training', secretMark.id]) {
      expect(text).not.toContain(secret);
    }
  });

  it('says so when the registration failed', async () => {
    const { fingerprint } = await register(openMark.id, 'a.jpg', 3);
    const { status, text } = await get(`/artifacts/${fingerprint}`);
    expect([status, titleOf(text)]).toEqual([200, 'a.jpg, not registered · Provenance registry']);
    expect(metaOf(text, 'robots')).toBe('noindex');
  });

  it.each([
    ['an unknown fingerprint', newFingerprint(), 'No file with this fingerprint is registered here'],
    ['a malformed one', '0x12', 'Page not found'],
    ['one in upper case', `0x${'AB'.repeat(32)}`, 'Page not found'],
    ['one of 2,000 characters', 'a'.repeat(2000), 'Page not found'],
    ['two fingerprints', `${newFingerprint()}/${newFingerprint()}`, 'Page not found'],
  ])('for %s is the page with status 404', async (_, fingerprint, title) => {
    const { status, text } = await get(`/artifacts/${fingerprint}`);
    expect([status, titleOf(text)]).toEqual([404, `${title} · Provenance registry`]);
    expect(metaOf(text, 'robots')).toBe('noindex');
    expect(text).toMatch(/<script type="module"[^>]* src="\/assets\//);
  });
});

describe("a Mark's document", () => {
  it('names the Mark and its owner', async () => {
    const { status, text } = await get(`/marks/${openMark.id}`);
    expect([status, titleOf(text)]).toEqual([200, `Ada ${HOSTILE} (no verified identity) · Provenance registry`]);
    expect(metaOf(text, 'description')).toMatch(
      /^Files registered under the Mark Ada .* of .*\. No verified identity\. Mark since March 3, 2026, \d+ Artifacts?\. License: Creative Commons/,
    );
    expect(metaOf(text, 'description')).toContain(`the Mark Ada ${HOSTILE} of ${owner.name}.`);
    expect(metaOf(text, 'og:url')).toBe(`${BASE_URL}/marks/${openMark.id}`);
    expect(text.match(/<script/g)).toHaveLength(2);
  });

  it.each([
    ['of a private Mark reveals nothing', () => secretMark.id, 200, 'This Mark is private'],
    ['of an unknown Mark is 404', () => randomUUID(), 404, 'Mark not found'],
    ['of a malformed ID is 404', () => 'mine', 404, 'Page not found'],
  ])('%s', async (_, id, status, title) => {
    const answer = await get(`/marks/${id()}`);
    expect([answer.status, titleOf(answer.text)]).toEqual([status, `${title} · Provenance registry`]);
    expect(answer.text).not.toContain('Clandestine');
    expect(metaOf(answer.text, 'robots')).toBe('noindex');
  });
});

describe('every document', () => {
  it('asks search engines not to index account pages', async () => {
    expect(metaOf((await get('/login')).text, 'robots')).toBe('noindex');
    expect((await get('/robots.txt')).text).toContain('Disallow: /dashboard');
    expect(metaOf((await get('/gallery')).text, 'robots')).toBeUndefined();
  });

  it('is sent again only when it has changed', async () => {
    const { id, fingerprint } = await register(openMark.id, 'a.jpg', 0);
    const path = `/artifacts/${fingerprint}`;
    const etag = (await get(path)).headers.get('etag') ?? '';
    const again = await get(path, { ...asBrowser, 'if-none-match': etag });
    expect([again.status, again.text]).toEqual([304, '']);
    await query(service.databaseUrl, 'update artifacts set status = 2 where id = $1', [id]);
    expect((await get(path, { ...asBrowser, 'if-none-match': etag })).status).toBe(200);
  });

  it('responds to HEAD with the same headers', async () => {
    const { fingerprint } = await register(openMark.id);
    for (const path of ['/', `/artifacts/${fingerprint}`, `/badge/${fingerprint}.svg`, '/badge.js']) {
      const [head, whole] = [await get(path, asBrowser, 'HEAD'), await get(path)];
      expect([head.status, head.text]).toEqual([200, '']);
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control', 'content-security-policy']) {
        expect([path, name, head.headers.get(name)]).toEqual([path, name, whole.headers.get(name)]);
      }
    }
  });

  it('is sent to browsers at unknown paths, with 404', async () => {
    const { status, headers, text } = await get('/nothing/here');
    expect([status, headers.get('content-type'), titleOf(text)]).toEqual([
      404,
      'text/html; charset=utf-8',
      'Page not found · Provenance registry',
    ]);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it.each([
    ['below the API', '/api/v1/nothing', asBrowser],
    ['of the resolution API', '/c2pa/nothing', asBrowser],
    ['of a file that the page does not have', '/assets/nothing.js', asBrowser],
    ['of a badge', '/badge/nothing', asBrowser],
    ['to a program', '/nothing/here', { accept: '*/*' }],
    ['to a client that refuses HTML', '/nothing/here', { accept: 'text/html;q=0, */*' }],
    ['to a client that prefers JSON', '/nothing/here', { accept: 'text/html;q=0.5, application/json' }],
  ])('is not sent at an unknown path %s', async (_, path, headers) => {
    const answer = await get(path, headers);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
    expect(JSON.parse(answer.text).code).toBe('NOT_FOUND');
  });
});

describe("the page's files", () => {
  /** Not with `fetch`, which always decodes the body. */
  async function getRaw(path: string, acceptEncoding: string) {
    const sent = request(`${service.url}${path}`, { headers: { 'accept-encoding': acceptEncoding } }).end();
    const response = await new Promise<IncomingMessage>((resolve) => sent.once('response', resolve));
    return { headers: response.headers, bytes: await buffer(response) };
  }

  it('are cached forever, in the best encoding that the browser accepts', async () => {
    const paths = [...(await get('/')).text.matchAll(/="(\/assets\/[^"]+\.js)"/g)].map(([, path = '']) => path);
    const files = await Promise.all(paths.map(async (path) => ({ path, ...(await getRaw(path, 'identity')) })));
    const [plain] = files.sort((one, other) => other.bytes.length - one.bytes.length);
    if (!plain) throw new Error('the page has no scripts');
    const { path } = plain;
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    expect(plain.headers['content-encoding']).toBeUndefined();
    const brotli = await getRaw(path, 'gzip, deflate, br');
    expect(brotli.headers).toMatchObject({
      'content-encoding': 'br',
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'accept-encoding',
    });
    expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true);
    const gzip = await getRaw(path, 'gzip, br;q=0');
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
    expect(gzip.bytes.length).toBeLessThan(plain.bytes.length / 2);
  });

  it('that a page needs are named by its document, to be loaded early', async () => {
    const { fingerprint } = await register(openMark.id);
    for (const [path, name] of [
      [`/artifacts/${fingerprint}`, 'ArtifactPage'],
      [`/marks/${openMark.id}`, 'MarkPage'],
      ['/gallery', 'GalleryPage'],
    ] as const) {
      const links = [
        ...(await get(path)).text.matchAll(/<link rel="(?:modulepreload|stylesheet)"[^>]* href="([^"]+)"/g),
      ];
      const files = links.map(([, file = '']) => file);
      expect(files).toContainEqual(expect.stringContaining(`/${name}-`));
      expect(new Set(files).size).toBe(files.length);
      for (const file of files) expect([file, (await get(file)).status]).toEqual([file, 200]);
    }
    expect((await get('/')).text).not.toContain('registryClient');
  });

  it('include icons of every kind, each of the size that it is said to have', async () => {
    const { icons } = JSON.parse((await get('/manifest.webmanifest')).text);
    const sizes = [['/apple-touch-icon.png', 180], ...icons.map(({ src, sizes }: never) => [src, parseInt(sizes, 10)])];
    expect(sizes.length).toBe(4);
    for (const [path, size] of sizes) {
      expect(await sharp((await getRaw(path, 'identity')).bytes).metadata()).toMatchObject({
        format: 'png',
        width: size,
        height: size,
      });
    }
    const { headers, bytes } = await getRaw('/favicon.ico', 'identity');
    expect([headers['content-type'], bytes.readUInt16LE(2), bytes.readUInt16LE(4)]).toEqual(['image/x-icon', 1, 3]);
    const [length, offset] = [bytes.readUInt32LE(6 + 32 + 8), bytes.readUInt32LE(6 + 32 + 12)];
    expect(await sharp(bytes.subarray(offset, offset + length)).metadata()).toMatchObject({ format: 'png', width: 48 });
    const [, svg = ''] = /<link rel="icon" href="([^"]+)" type="image\/svg\+xml"/.exec((await get('/')).text) ?? [];
    expect((await get(svg)).headers.get('content-type')).toBe('image/svg+xml');
  });

  it('include preview images of the site and of every registered file, without private data', async () => {
    const [open, secret] = [await register(openMark.id), await register(secretMark.id)];
    const failed = await register(openMark.id, 'a.jpg', 3);
    for (const path of ['/preview.png', `/preview/${open.fingerprint}.png`, `/preview/${secret.fingerprint}.png`]) {
      const { headers, bytes } = await getRaw(path, 'identity');
      expect(headers['content-type']).toBe('image/png');
      expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 1200, height: 630 });
    }
    const image = async () => (await getRaw(`/preview/${open.fingerprint}.png`, 'identity')).bytes;
    const before = await image();
    expect((await image()).equals(before)).toBe(true);
    await query(service.databaseUrl, 'update artifacts set status = 0 where id = $1', [open.id]);
    expect((await image()).equals(before)).toBe(false);
    for (const name of [`${failed.fingerprint}.png`, `${newFingerprint()}.png`, open.fingerprint, 'x'.repeat(2000)]) {
      expect((await get(`/preview/${name}`)).status).toBe(404);
    }
  });

  it('include a sitemap of what visitors may see, and of nothing else', async () => {
    const [open, secret] = [await register(openMark.id), await register(secretMark.id)];
    const failed = await register(openMark.id, 'a.jpg', 3);
    expect((await get('/robots.txt')).text).toContain(`\nSitemap: ${BASE_URL}/sitemap.xml\n`);
    const addresses = async (path: string) => {
      const { status, headers, text } = await get(path, { accept: 'application/xml' });
      expect([status, headers.get('content-type')]).toEqual([200, 'application/xml; charset=utf-8']);
      return [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address = '']) => address.replace(BASE_URL, ''));
    };
    const parts = await addresses('/sitemap.xml');
    expect(parts).toEqual(['/sitemap/pages.xml', '/sitemap/marks.xml', '/sitemap/artifacts.xml']);
    const listed = (await Promise.all(parts.map(addresses))).flat();
    const shown = ['/', '/gallery', '/contract', `/marks/${openMark.id}`, `/artifacts/${open.fingerprint}`];
    expect(listed).toEqual(expect.arrayContaining(shown));
    const hidden = [`/marks/${secretMark.id}`, `/artifacts/${secret.fingerprint}`, `/artifacts/${failed.fingerprint}`];
    expect(listed.filter((path) => hidden.includes(path) || path.startsWith('/dashboard'))).toEqual([]);
    // Parts of a large registry: those with these first digits.
    const part = await addresses(`/sitemap/artifacts-${open.fingerprint.slice(2, 4)}.xml`);
    expect(part).toContain(`/artifacts/${open.fingerprint}`);
    expect(part.every((path) => path.startsWith(`/artifacts/${open.fingerprint.slice(0, 4)}`))).toBe(true);
    expect(await addresses(`/sitemap/marks-${openMark.id.slice(0, 3)}.xml`)).toContain(`/marks/${openMark.id}`);
    expect((await get('/sitemap/artifacts-xyz.xml', { accept: '*/*' })).status).toBe(404);
  });
});

describe('the badge', () => {
  it.each([
    [
      'registered',
      2,
      'Registered by Ada on June 1, 2026, No verified identity · Mark since March 3, 2026 · 1 Artifact',
    ],
    ['waiting for the chain', 0, 'Being registered by Ada, Waiting for the blockchain · No verified identity'],
    ['being written to the chain', 1, 'Being registered by Ada, Waiting for the blockchain · No verified identity'],
    ['failed', 3, 'Not registered here, Provenance registry'],
  ])('shows that a file is %s', async (_, status, text) => {
    const mark = (await createMark(service, owner, { name: 'Ada' })).body;
    await query(service.databaseUrl, "update marks set created_at = '2026-03-03T12:00:00Z' where id = $1", [mark.id]);
    const { fingerprint } = await register(mark.id, 'a.jpg', status);
    const badge = await get(`/badge/${fingerprint}.svg`);
    expect([badge.status, titleOf(badge.text)]).toEqual([200, expect.stringContaining(text)]);
    expect(badge.headers.get('cache-control')).toBe('public, max-age=60');
  });

  it('does not name a private Mark', async () => {
    const { fingerprint } = await register(secretMark.id);
    const { text } = await get(`/badge/${fingerprint}.svg`);
    expect(titleOf(text)).toBe('Registered under a private Mark on June 1, 2026, Provenance registry');
    expect(text).not.toContain('Clandestine');
  });

  it('shows that a file is unknown', async () => {
    const { status, text } = await get(`/badge/${newFingerprint()}.svg`);
    expect([status, titleOf(text)]).toEqual([200, 'Not registered here, Provenance registry']);
  });

  it('is an image without active content that any site may show', async () => {
    const { fingerprint } = await register(openMark.id);
    const { headers, text } = await get(`/badge/${fingerprint}.svg`, { origin: 'https://elsewhere.example' });
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "default-src 'none'",
      'x-content-type-options': 'nosniff',
    });
    expect(headers.get('set-cookie')).toBeNull();
    expect(text).not.toMatch(/<(script|style|foreignObject|a|image)|href|\bon\w+=/);
    const etag = headers.get('etag') ?? '';
    expect((await get(`/badge/${fingerprint}.svg`, { 'if-none-match': etag })).status).toBe(304);
  });

  it.each([
    ['a malformed fingerprint', '0x12.svg'],
    ['another format', `${newFingerprint()}.png`],
    ['no format', newFingerprint()],
    ['a fingerprint in upper case', `0x${'AB'.repeat(32)}.svg`],
    ['a name of 500 characters', 'a'.repeat(500)],
  ])('does not exist for %s', async (_, name) => {
    expect((await get(`/badge/${name}`)).status).toBe(404);
  });

  it('has a script that any page may load', async () => {
    const { headers, text } = await get('/badge.js');
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=3600',
    });
    expect(text).toContain('provenance-badge');
    expect(text).not.toMatch(/cookie|fetch\(|XMLHttpRequest|sendBeacon|localStorage/);
  });
});
