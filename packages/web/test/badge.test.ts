// The badge on another website, with its own Content-Security-Policy.

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page, Request } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { newFingerprint, startRegistry, unreachableChain } from '../../../test/support/artifacts.js';
import { getBrowser } from '../../../test/support/browser.js';
import { query } from '../../../test/support/postgres.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { expectAccessible, openPage } from './support/browser.js';

const HOSTILE = `Ada "'><script>alert(1)</script>&amp; \uFFFF`;
const service = await startRegistry(await unreachableChain());
const { client: ada } = await createRegistrant(service.url);
const mark = await ada.createMark({ name: HOSTILE });
const fingerprint = newFingerprint();
const { id } = await ada.createArtifact({ markId: mark.id, fingerprint, filename: 'a.jpg' });
await query(service.databaseUrl, "update artifacts set status = 2, created_at = '2026-06-01' where id = $1", [id]);

const pages = new Map<string, { body: string; headers: Record<string, string> }>();
const website = createServer((request: IncomingMessage, response) => {
  const page = pages.get(request.url ?? '');
  // Browsers request an icon as well.
  response.writeHead(page ? 200 : 204, { 'content-type': 'text/html; charset=utf-8', ...page?.headers });
  response.end(page && `<!doctype html><html lang="en"><title>A page</title><main>${page.body}</main></html>`);
});
await new Promise<void>((resolve) => website.listen(0, '127.0.0.1', resolve));
afterAll(() => website.close());

let pageCount = 0;
/** Adds a page to the website and returns its address. */
function addPage(body: string, headers: Record<string, string> = {}): string {
  pageCount += 1;
  pages.set(`/${pageCount}`, { body, headers });
  return `http://127.0.0.1:${(website.address() as AddressInfo).port}/${pageCount}`;
}

const script = `<script src="${service.url}/badge.js" async></script>`;
const label = 'Registered by Ada';
const element = (of: string = fingerprint) =>
  `<provenance-badge fingerprint="${of}"><a href="${service.url}/artifacts/${of}">${label}</a></provenance-badge>`;
const strictPolicy = {
  'content-security-policy': `default-src 'none'; script-src ${service.url}; img-src ${service.url}; require-trusted-types-for 'script'`,
  'cross-origin-embedder-policy': 'require-corp',
};

const image = (page: Page) => page.getByRole('img', { name: label });
const expectImageLoaded = (page: Page) =>
  expect
    .poll(() =>
      image(page).evaluate(
        (image: { complete: boolean; naturalWidth: number }) => image.complete && image.naturalWidth > 100,
      ),
    )
    .toBe(true);

test.each([
  ['a page without a policy', {}],
  ['a page that allows only the registry', strictPolicy],
])('the element shows the badge on %s, and links to the Artifact', async (_, headers) => {
  const page = await openPage(addPage(script + element(), headers));
  await expectImageLoaded(page);
  await expectAccessible(page);
  await page.getByRole('link', { name: label }).click();
  await page.waitForURL(`${service.url}/artifacts/${fingerprint}`);
});

test('the element works in any order, twice, created by a script, and when its attribute changes', async () => {
  const other = newFingerprint();
  const late = `<script>document.currentScript.after(Object.assign(document.createElement('provenance-badge'), { id: 'late' }))</script>`;
  const page = await openPage(addPage(element() + script + script + element() + late));
  await expect.poll(() => image(page).count()).toBe(2);
  const source = () =>
    page.evaluate<string | undefined>(
      `document.getElementById('late').shadowRoot?.querySelector('img')?.src.split('/').pop()`,
    );
  expect(await source()).toBeUndefined();
  await page.evaluate(`document.getElementById('late').setAttribute('fingerprint', '${fingerprint}')`);
  await expect.poll(source).toBe(`${fingerprint}.svg`);
  await page.evaluate(`document.getElementById('late').setAttribute('fingerprint', '${other}')`);
  await expect.poll(source).toBe(`${other}.svg`);
  // No image is better than that of another file.
  await page.evaluate(`document.getElementById('late').setAttribute('fingerprint', 'nonsense')`);
  await expect.poll(source).toBeUndefined();
});

test('a page that blocks images or scripts still has the link', async () => {
  const policy = { 'content-security-policy': `default-src 'none'; script-src ${service.url}` };
  const blocked = await openPage(addPage(script + element(), policy), { expected: /Content Security Policy|ERR_/ });
  await blocked.getByRole('link', { name: label }).waitFor();
  const plain = await openPage(addPage(element()));
  await plain.getByRole('link', { name: label }).waitFor();
});

test('the script requests the image and nothing else, without referrer and cookies', async () => {
  const requests: Request[] = [];
  const address = addPage(script + element());
  const page = await openPage(address, {
    before: async (opened) => {
      await opened.context().addCookies([{ name: 'tracker', value: '1', url: service.url }]);
      opened.on('request', (request) => requests.push(request));
    },
  });
  await expectImageLoaded(page);
  const ownRequests = requests.filter((request) => request.url().startsWith(service.url));
  expect(ownRequests.map((request) => request.url())).toEqual([
    `${service.url}/badge.js`,
    `${service.url}/badge/${fingerprint}.svg`,
  ]);
  const headers = await ownRequests[1]?.allHeaders();
  expect([headers?.['referer'], headers?.['cookie']]).toEqual([undefined, undefined]);
  expect(await page.evaluate('[localStorage.length, sessionStorage.length]')).toEqual([0, 0]);
});

test('the plain image is valid for any Mark name, and has a title when opened', async () => {
  const link = `<a href="${service.url}/artifacts/${fingerprint}"><img src="${service.url}/badge/${fingerprint}.svg" alt="${label}" height="40"></a>`;
  await expectImageLoaded(await openPage(addPage(link, strictPolicy)));
  const opened = await openPage(`${service.url}/badge/${fingerprint}.svg`);
  const title = await opened.evaluate<string>(`document.querySelector('title').textContent`);
  expect(title.replace(/[\u2068\u2069]/g, '')).toMatch(
    /^Registered by Ada "'><script>alert\(1\)<\/sc… on June 1, 2026, No verified identity · Mark since .* · 1 Artifact$/,
  );
});

test('the text fits into the image', async () => {
  const names = ['W'.repeat(120), 'i'.repeat(120), '写真'.repeat(20), 'مصور القاهرة', '🚀'.repeat(10)];
  const fingerprints = await Promise.all(
    names.map(async (name) => {
      const { id: markId } = await ada.createMark({ name });
      return (await ada.createArtifact({ markId, fingerprint: newFingerprint(), filename: 'a.jpg' })).fingerprint;
    }),
  );
  const page = await (await getBrowser()).newPage();
  for (const shown of fingerprints) {
    await page.goto(`${service.url}/badge/${shown}.svg`);
    const [width = 0, ...ends] = await page.evaluate<number[]>(
      `[document.documentElement.viewBox.baseVal.width,
        ...[...document.querySelectorAll('text')].map((text) => text.getBBox().x + text.getBBox().width)]`,
    );
    expect(Math.max(...ends)).toBeLessThan(width);
    expect(width).toBeLessThan(600);
  }
  await page.close();
});
