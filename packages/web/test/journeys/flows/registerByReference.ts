// From the front page to the operation that registers a file, and back, as a developer goes.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { createMark, createUser } from '../../../../../test/support/accounts.js';
import { newFingerprint } from '../../../../../test/support/artifacts.js';
import { call, type Service } from '../../../../../test/support/service.js';
import {
  expectAccessible,
  expectNoLayoutShift,
  expectNoSidewaysScroll,
  openPage,
  type View,
} from '../../support/browser.js';

const run = promisify(execFile);

async function expectUsable(page: Page): Promise<void> {
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
}

/** Finds the operation in the API reference, copies its example and runs it. */
export async function registerByReference(
  service: Service,
  { size, theme }: Required<Pick<View, 'size' | 'theme'>>,
): Promise<void> {
  const at = (path: string) => `${service.url}${path}`;
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
  // The list covers the page.
  if (size === 'phone') await expectUsable(page);
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
}
