// A developer: finds the operation that registers a file in the API reference, copies its example, runs it, and gets back home.

import { api } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import { getBrowser } from '../../../../test/support/browser.js';
import { startService } from '../../../../test/support/service.js';
import { openPage, sizes } from '../support/browser.js';
import { registerByReference } from './flows/registerByReference.js';

const service = await startService();
const at = (path: string) => `${service.url}${path}`;
/** Compressed, with the headers, of everything that the page of a group loads. */
const MAX_PAGE_BYTES = 60_000;

test('from the front page to a registered file, and back', async () => {
  await registerByReference(service, { size: 'desktop', theme: 'light' });
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
    expect(html).not.toMatch(/undefined|\[object|\.invalid/);
  }
  // The build does not know the address of the service, which the examples use.
  expect(pages.get('/api/reference/artifacts')).toContain(`baseUrl: &#39;${new URL(at('/')).origin}&#39;`);
  for (const { id } of Object.values(api))
    expect([...anchors].filter((anchor) => anchor.endsWith(`#${id}`))).toHaveLength(1);
  expect((await fetch(at('/api/reference/nothing'))).status).toBe(404);

  const page = await openPage(at('/api/reference/artifacts'), { isFirstVisit: true });
  const [transferred, nodes] = await page.evaluate<[number, number]>(
    `[performance.getEntries().reduce((sum, { transferSize = 0 }) => sum + transferSize, 0), document.querySelectorAll('*').length]`,
  );
  expect(transferred).toBeGreaterThan(10_000);
  expect(transferred).toBeLessThan(MAX_PAGE_BYTES);
  expect(nodes).toBeLessThan(3_000);
});
