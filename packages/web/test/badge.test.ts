// The badge on somebody else's page: another origin, with a policy of its own.

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page, Request } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { newFingerprint, startRegistry, unreachableChain } from '../../../test/support/artifacts.js';
import { query } from '../../../test/support/postgres.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { browser, expectAccessible, openPage } from './support/browser.js';

const HOSTILE = `Ada "'><script>alert(1)</script>&amp; \uFFFF`;
const service = await startRegistry(await unreachableChain());
const { client: ada } = await createRegistrant(service.url);
const mark = await ada.createMark({ name: HOSTILE });
const fingerprint = newFingerprint();
const { id } = await ada.createArtifact({ markId: mark.id, fingerprint, filename: 'a.jpg' });
await query(service.databaseUrl, "update artifacts set status = 2, created_at = '2026-06-01' where id = $1", [id]);

const pages = new Map<string, { body: string; headers: Record<string, string> }>();
const stranger = createServer((request: IncomingMessage, response) => {
  const page = pages.get(request.url ?? '');
  // Browsers ask for an icon as well.
  response.writeHead(page ? 200 : 204, { 'content-type': 'text/html; charset=utf-8', ...page?.headers });
  response.end(page && `<!doctype html><html lang="en"><title>A page</title><main>${page.body}</main></html>`);
});
await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
afterAll(() => stranger.close());

let made = 0;
/** The address of a new page of the stranger's. */
function pageWith(body: string, headers: Record<string, string> = {}): string {
  made += 1;
  pages.set(`/${made}`, { body, headers });
  return `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/${made}`;
}

const script = `<script src="${service.url}/badge.js" async></script>`;
const words = 'Registered by Ada';
const element = (of: string = fingerprint) =>
  `<provenance-badge fingerprint="${of}"><a href="${service.url}/artifacts/${of}">${words}</a></provenance-badge>`;
const strictest = {
  'content-security-policy': `default-src 'none'; script-src ${service.url}; img-src ${service.url}; require-trusted-types-for 'script'`,
  'cross-origin-embedder-policy': 'require-corp',
};

const picture = (page: Page) => page.getByRole('img', { name: words });
const isDrawn = (page: Page) =>
  expect
    .poll(() =>
      picture(page).evaluate(
        (image: { complete: boolean; naturalWidth: number }) => image.complete && image.naturalWidth > 100,
      ),
    )
    .toBe(true);

test.each([
  ['a page without a policy', {}],
  ['a page that lets in the registry alone', strictest],
])('one element shows the badge on %s, and leads to the Artifact', async (_, headers) => {
  const page = await openPage(pageWith(script + element(), headers));
  await isDrawn(page);
  await expectAccessible(page);
  await page.getByRole('link', { name: words }).click();
  await page.waitForURL(`${service.url}/artifacts/${fingerprint}`);
});

test('the element works in any order, twice, made by a script, and follows its attribute', async () => {
  const other = newFingerprint();
  const late = `<script>document.currentScript.after(Object.assign(document.createElement('provenance-badge'), { id: 'late' }))</script>`;
  const page = await openPage(pageWith(element() + script + script + element() + late));
  await expect.poll(() => picture(page).count()).toBe(2);
  const source = () =>
    page.evaluate<string | undefined>(
      `document.getElementById('late').shadowRoot?.querySelector('img')?.src.split('/').pop()`,
    );
  expect(await source()).toBeUndefined();
  await page.evaluate(`document.getElementById('late').setAttribute('fingerprint', '${fingerprint}')`);
  await expect.poll(source).toBe(`${fingerprint}.svg`);
  await page.evaluate(`document.getElementById('late').setAttribute('fingerprint', '${other}')`);
  await expect.poll(source).toBe(`${other}.svg`);
  // No picture is better than that of another file.
  await page.evaluate(`document.getElementById('late').setAttribute('fingerprint', 'nonsense')`);
  await expect.poll(source).toBeUndefined();
});

test('a page that lets no picture in, or runs no script, still has the link', async () => {
  const policy = { 'content-security-policy': `default-src 'none'; script-src ${service.url}` };
  const blocked = await openPage(pageWith(script + element(), policy), { expected: /Content Security Policy|ERR_/ });
  await blocked.getByRole('link', { name: words }).waitFor();
  const plain = await openPage(pageWith(element()));
  await plain.getByRole('link', { name: words }).waitFor();
});

test('the script asks for the picture and nothing else, and tells nobody where it is', async () => {
  const asked: Request[] = [];
  const address = pageWith(script + element());
  const page = await openPage(address, {
    before: async (opened) => {
      await opened.context().addCookies([{ name: 'tracker', value: '1', url: service.url }]);
      opened.on('request', (request) => asked.push(request));
    },
  });
  await isDrawn(page);
  const ours = asked.filter((request) => request.url().startsWith(service.url));
  expect(ours.map((request) => request.url())).toEqual([
    `${service.url}/badge.js`,
    `${service.url}/badge/${fingerprint}.svg`,
  ]);
  const headers = await ours[1]?.allHeaders();
  expect([headers?.['referer'], headers?.['cookie']]).toEqual([undefined, undefined]);
  expect(await page.evaluate('[localStorage.length, sessionStorage.length]')).toEqual([0, 0]);
});

test('the plain image is one whatever a Mark is called, and says its words to those who open it', async () => {
  const link = `<a href="${service.url}/artifacts/${fingerprint}"><img src="${service.url}/badge/${fingerprint}.svg" alt="${words}" height="40"></a>`;
  await isDrawn(await openPage(pageWith(link, strictest)));
  const opened = await openPage(`${service.url}/badge/${fingerprint}.svg`);
  const title = await opened.evaluate<string>(`document.querySelector('title').textContent`);
  expect(title.replace(/[\u2068\u2069]/g, '')).toBe(
    `Registered by ${HOSTILE.slice(0, 27)}…, since 1 June 2026 · Provenance registry`,
  );
});

test('what the picture says fits into it', async () => {
  const names = ['W'.repeat(120), 'i'.repeat(120), '写真'.repeat(20), 'مصور القاهرة', '👩‍🚀'.repeat(10)];
  const fingerprints = await Promise.all(
    names.map(async (name) => {
      const { id: markId } = await ada.createMark({ name });
      return (await ada.createArtifact({ markId, fingerprint: newFingerprint(), filename: 'a.jpg' })).fingerprint;
    }),
  );
  const page = await (await browser()).newPage();
  for (const one of fingerprints) {
    await page.goto(`${service.url}/badge/${one}.svg`);
    const [width = 0, ...ends] = await page.evaluate<number[]>(
      `[document.documentElement.viewBox.baseVal.width,
        ...[...document.querySelectorAll('text')].map((text) => text.getBBox().x + text.getBBox().width)]`,
    );
    expect(Math.max(...ends)).toBeLessThan(width);
    expect(width).toBeLessThan(600);
  }
  await page.close();
});
