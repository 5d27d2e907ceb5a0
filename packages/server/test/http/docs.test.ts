// The documentation at /docs: served, linked and found, over HTTP and in a real browser.

import { beforeAll, describe, expect, it } from 'vitest';
import { getBrowser } from '../../../../test/support/browser.js';
import { type Service, startService } from '../../../../test/support/service.js';
import { expectAccessible, expectNoLayoutShift, openPage } from '../../../web/test/support/browser.js';

/** Compressed, with style sheet, scripts and icon. */
const MAX_FIRST_LOAD_BYTES = 100_000;

let service: Service;
let docs: string;

beforeAll(async () => {
  service = await startService();
  docs = `${service.url}/docs/`;
});

const get = (path: string, headers: Record<string, string> = { accept: 'text/html' }) =>
  fetch(new URL(path, docs), { headers, redirect: 'manual' });

const getText = async (path: string) => {
  const response = await get(path);
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe('the documentation over HTTP', () => {
  it('has an index, addresses that are easy to type, and a page for those that do not exist', async () => {
    const redirected = async (path: string) => (await get(path)).headers.get('location');
    expect(await redirected('/docs')).toBe('/docs/');
    for (const path of ['faq', 'faq/', 'faq.md']) expect(await redirected(path)).toBe('/docs/faq.html');
    for (const path of ['webhooks', 'webhooks.html', 'webhooks.md'])
      expect(await redirected(path)).toBe('/docs/events.html#webhooks');
    const index = await get('/docs/');
    expect(index.status).toBe(200);
    expect(await index.text()).toContain('<h1>Provenance registry</h1>');

    for (const path of [
      'nothing',
      'deep/below/nothing.html',
      'assets/nothing.js',
      '..%2fpage%2findex.html',
      '404.html',
    ]) {
      const missing = await get(path);
      expect([path, missing.status, missing.headers.get('content-type')]).toEqual([
        path,
        404,
        'text/html; charset=utf-8',
      ]);
      expect(await missing.text()).toContain('href="/docs/concepts.html"');
    }
    const asProgram = await get('nothing', { accept: 'application/json' });
    expect([asProgram.status, await asProgram.json()]).toMatchObject([404, { code: 'NOT_FOUND' }]);
  });

  it('allows no inline code, is checked for changes, and names its canonical address', async () => {
    const { headers } = await get('faq.html');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).not.toContain('unsafe');
    expect(headers.get('link')).toBe(`<${docs}faq.html>; rel="canonical"`);
    expect(headers.get('cache-control')).toBe('no-cache');
    const again = await get('faq.html', { accept: 'text/html', 'if-none-match': headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
  });

  it('has no link and no anchor that leads nowhere, and keeps assets for a year', async () => {
    const { pages, targets } = await crawl();
    const broken = [...targets].filter((target) => {
      const { hash, href } = new URL(target);
      return hash !== '' && !pages.get(href.replace(hash, ''))?.includes(` id="${decodeURIComponent(hash.slice(1))}"`);
    });
    expect(broken).toEqual([]);
    const { text: sitemap } = await getText('/sitemap/pages.xml');
    const linked = [...pages.keys()].filter((url) => url.endsWith('.html'));
    expect(linked.length).toBeGreaterThan(30);
    expect(linked.filter((url) => !sitemap.includes(`<loc>${url}</loc>`))).toEqual([]);
  });

  /** Reads everything that the pages link to on this service, and the pages behind those links. */
  async function crawl(): Promise<{ pages: Map<string, string>; targets: Set<string> }> {
    const pages = new Map<string, string>();
    const targets = new Set<string>([docs]);
    const findWaiting = () => [...targets].map((url) => url.replace(/#.*/, '')).find((url) => !pages.has(url));
    for (let url = findWaiting(); url !== undefined; url = findWaiting()) {
      const text = await readLinked(url);
      pages.set(url, text);
      for (const [, address = ''] of text.matchAll(/ (?:href|src|data-index|data-search)="([^"]*)"/g)) {
        const { href, origin } = new URL(address.replaceAll('&amp;', '&'), url);
        if (origin === service.url) targets.add(href.replace(`${docs}index.html`, docs));
      }
    }
    return { pages, targets };
  }

  /** The text of a page of the documentation; nothing of other files. */
  async function readLinked(url: string): Promise<string> {
    const { status, headers, ...response } = await getText(url);
    expect([url, status]).toEqual([url, 200]);
    const isAsset = url.startsWith(`${docs}assets/`);
    if (isAsset) expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    return headers.get('content-type')?.startsWith('text/html') && url.startsWith(docs) ? response.text : '';
  }
});

describe('the documentation in a browser', () => {
  it('is small, and its search finds sections by the keyboard alone', async () => {
    const sizes: Promise<number>[] = [];
    const page = await openPage(docs, {
      isFirstVisit: true,
      before: async (opened) =>
        opened.on('requestfinished', (request) => {
          sizes.push(
            request.sizes().then(({ responseBodySize, responseHeadersSize }) => responseBodySize + responseHeadersSize),
          );
        }),
    });
    // The search loads its index when it is used.
    await page.getByRole('searchbox').waitFor();
    expect((await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_FIRST_LOAD_BYTES);
    await expectNoLayoutShift(page);

    await page.keyboard.press('/');
    await page.keyboard.type('usage unit');
    const results = page.locator('.docs-results');
    await results.getByRole('link').first().waitFor();
    expect(await results.getByRole('status').textContent()).toMatch(/results/);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    expect(await results.isVisible()).toBe(false);
    for (const hostile of ['<img src=x onerror=alert(1)>', '(((', '\u0301'.repeat(100), '__proto__ constructor']) {
      await page.getByRole('searchbox').fill(hostile);
      expect(await results.locator('img').count()).toBe(0);
    }
    await page.getByRole('searchbox').fill('');
    await page.keyboard.type('randomart');
    await results.getByText('Concepts').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/[a-z-]+\.html/);
    await page.getByText('randomart').first().waitFor();
  });

  it('keeps the theme that the user chose, and is accessible in it', async () => {
    const page = await openPage(`${docs}concepts.html`);
    await expectAccessible(page);
    await page.getByLabel('Theme').selectOption('dark');
    await page.getByRole('link', { name: 'FAQ', exact: true }).click();
    await page.getByRole('heading', { name: 'FAQ' }).waitFor();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await expectAccessible(page);
  });

  it('copies code, and can be read without JavaScript and from a disk', async () => {
    const page = await openPage(docs);
    const context = page.context();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('npm start\n');
    const plain = await (await getBrowser()).newPage({ javaScriptEnabled: false });
    await plain.goto(`${docs}concepts.html`);
    expect(await plain.getByRole('searchbox').count()).toBe(0);
    await plain.getByRole('link', { name: 'Next FAQ' }).click();
    await plain.getByRole('heading', { level: 1, name: 'FAQ' }).waitFor();
    await plain.close();

    // From a disk, without the service.
    const copy = await (await getBrowser()).newPage();
    await copy.goto(new URL('../../../web/dist/docs/concepts.html', import.meta.url).href);
    await copy.keyboard.press('/');
    await copy.keyboard.type('drunken bishop');
    await copy.locator('.docs-results').getByRole('link', { name: 'Glossary in Concepts' }).click();
    await copy.waitForURL(/concepts\.html#glossary$/);
    await copy.close();
  });
});
