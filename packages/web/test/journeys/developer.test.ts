// A developer: finds the operation that registers a file in the API reference, copies its example, runs it, and gets back home.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { api } from '@provenance-registry/core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createMark, createUser } from '../../../../test/support/accounts.js';
import { newFingerprint } from '../../../../test/support/artifacts.js';
import { getBrowser } from '../../../../test/support/browser.js';
import { call, startService } from '../../../../test/support/service.js';
import {
  expectAccessible,
  expectNoLayoutShift,
  expectNoSidewaysScroll,
  openPage,
  sizes,
  type Theme,
} from '../support/browser.js';

const run = promisify(execFile);
const service = await startService();
const at = (path: string) => `${service.url}${path}`;
/** Compressed, with the headers, of everything that the page of a group loads. */
const MAX_PAGE_BYTES = 60_000;

async function expectUsable(page: Page): Promise<void> {
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
}

test.each<[size: keyof typeof sizes, theme: Theme]>([
  ['desktop', 'light'],
  ['phone', 'dark'],
])('from the front page to a registered file, and back (%s, %s)', async (size, theme) => {
  const user = await createUser(service);
  const { id: markId } = (await createMark(service, user)).body;
  const page = await openPage(at('/'), { size, theme });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('link', { name: 'API reference' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'API reference' }).waitFor();
  await expectNoLayoutShift(page);
  await expectUsable(page);
  expect(
    await page
      .getByRole('link', { name: /^OpenAPI document/ })
      .first()
      .getAttribute('href'),
  ).toBe('/api/openapi.json');

  // The list of operations is beside the content, or over it on a phone; the keyboard is enough for both.
  if (size === 'phone') {
    await page.getByRole('button', { name: 'Find an operation' }).focus();
    await page.keyboard.press('Enter');
  }
  await page.getByRole('searchbox', { name: 'Find an operation' }).focus();
  await page.keyboard.type('no such thing');
  await page.getByText('No operation matches.').waitFor({ state: 'attached' });
  await page.keyboard.press('Control+A');
  await page.keyboard.type('POST artifacts regist');
  await page.getByText('3 operations match.').waitFor({ state: 'attached' });
  await page.keyboard.press('Control+A');
  await page.keyboard.type('register a file');
  await expectUsable(page);
  await page.keyboard.press('Enter');
  await page.waitForURL(at('/api/reference/artifacts#createArtifact'));
  const operation = page.getByRole('region', { name: 'Register a file', exact: true });
  await expect
    .poll(() => operation.boundingBox())
    .toMatchObject({ y: expect.toSatisfy((y: number) => y >= 0 && y < 200) });
  await expectNoLayoutShift(page);
  await expectUsable(page);
  expect(await operation.textContent()).toMatch(/with the scope register\./);
  expect(await operation.textContent()).toMatch(/409 CONFLICTThe fingerprint is already registered/);

  // The language is chosen for all examples, and remembered.
  await operation.getByRole('radio', { name: 'Python' }).check();
  await page.reload();
  await operation.getByText('from urllib.request import').waitFor();
  await expect.poll(() => operation.getByRole('radio', { name: 'Python' }).isChecked()).toBe(true);
  expect(await operation.getByText('curl "').isVisible()).toBe(false);
  await operation.getByRole('radio', { name: 'curl' }).check();

  await operation.getByRole('button', { name: 'Copy curl example of Register a file' }).click();
  await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
  const command = await page.evaluate<string>('navigator.clipboard.readText()');
  const fingerprint = newFingerprint();
  const { stdout } = await run('sh', ['-c', command.replace(/0x[0-9a-f]{64}/, fingerprint)], {
    env: { PATH: process.env['PATH'] ?? '', TOKEN: user.token, MARK_ID: markId },
  });
  expect(JSON.parse(stdout)).toMatchObject({ fingerprint, metadata: { filename: 'sunrise.svg' } });
  expect((await call(service, 'GET', `/api/v1/public/artifacts/${fingerprint}`)).status).toBe(200);

  await operation.getByRole('link', { name: 'Artifact', exact: true }).first().click();
  await page.getByRole('region', { name: 'Artifact', exact: true }).waitFor();
  await expectUsable(page);
  await page.getByRole('link', { name: 'Provenance registry' }).click();
  await page.waitForURL(at('/'));
});

test('without JavaScript, examples, fields and the list of operations work too', async () => {
  const context = await (await getBrowser()).newContext({ viewport: sizes.phone, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(at('/api/reference/marks'));
  await page.getByRole('button', { name: 'Find an operation' }).click();
  await page.getByText('Artifacts', { exact: true }).click();
  await page.getByRole('link', { name: 'Register a file', exact: true }).click();
  await page.waitForURL(at('/api/reference/artifacts#createArtifact'));
  const operation = page.getByRole('region', { name: 'Register a file', exact: true });
  await operation.getByRole('radio', { name: 'TypeScript' }).check();
  await operation.getByText('await client.createArtifact(').waitFor();
  // Neither would do anything.
  expect(await page.getByRole('button', { name: /^Copy/ }).count()).toBe(0);
  expect(await page.getByRole('combobox').count()).toBe(0);
  await context.close();
});

test('every operation has its place, no link leads nowhere, and pages are small', async () => {
  const overview = await (await fetch(at('/api/reference'))).text();
  const paths = [...new Set([...overview.matchAll(/href="(\/api\/reference\/[a-z-]+)/g)].map(([, path = '']) => path))];
  const pages = new Map([['/api/reference', overview]]);
  for (const path of paths) {
    const response = await fetch(at(path));
    expect([path, response.status]).toEqual([path, 200]);
    pages.set(path, await response.text());
  }
  const anchors = new Set(
    [...pages].flatMap(([path, html]) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `${path}#${id}`)),
  );
  for (const [path, html] of pages) {
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toEqual([...new Set(ids)]);
    const links = [...html.matchAll(/href="((?:\/api\/reference[a-z/-]*)?)#([^"]+)"/g)];
    const targets = links.map(([, target, id]) => `${target || path}#${id}`);
    expect(targets.filter((target) => !anchors.has(target))).toEqual([]);
    for (const { id } of Object.values(api)) expect([path, id, html.includes(`#${id}"`)]).toEqual([path, id, true]);
    expect(html).not.toMatch(/undefined|\[object/);
  }
  for (const { id } of Object.values(api))
    expect([...anchors].filter((anchor) => anchor.endsWith(`#${id}`))).toHaveLength(1);
  expect((await fetch(at('/api/reference/nothing'))).status).toBe(404);

  const page = await openPage(at('/api/reference/artifacts'), { isFirstVisit: true });
  await page.waitForLoadState('networkidle');
  const [transferred, nodes] = await page.evaluate<[number, number]>(
    `[performance.getEntries().reduce((sum, { transferSize = 0 }) => sum + transferSize, 0), document.querySelectorAll('*').length]`,
  );
  expect(transferred).toBeGreaterThan(10_000);
  expect(transferred).toBeLessThan(MAX_PAGE_BYTES);
  expect(nodes).toBeLessThan(3_000);
});
