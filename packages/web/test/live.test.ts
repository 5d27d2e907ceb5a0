// Pages that follow the feed of events, with a real browser and service.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newFingerprint } from '../../../test/support/artifacts.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startService } from '../../../test/support/service.js';
import { expectAccessible, expectNoSidewaysScroll, openPage } from './support/browser.js';
import { startRecordingProxy } from './support/recordingProxy.js';

const STREAM = '**/api/v1/events/stream';
const FAILED_REQUEST = /Failed to load resource/;
const NOT_LIVE = /^Not live: changes made elsewhere do not appear/;

const service = await startService();
const ada = await createRegistrant(service.url);
const proxy = await startRecordingProxy();
proxy.forwardTo(service.url);

const at = (path: string) => `${service.url}${path}`;
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();
const register = (filename: string, fingerprint = newFingerprint()) =>
  ada.client.createArtifact({ markId: ada.markId, fingerprint, filename });

test('what happens elsewhere appears without a reload, and what the user is doing stays', async () => {
  const bea = await createRegistrant(service.url);
  await bea.client.updateMe({ name: 'Bea' });
  const { id: organizationId } = await ada.client.createOrganization({ name: 'Studio' });
  const { fingerprint } = await register('dawn.jpg');
  const contest = (statement: string, of = fingerprint) =>
    bea.client.createClaim({ fingerprint: of, statement, kind: 'statement' });
  await contest('The first claim.');

  const page = await openPage(at('/dashboard/claims'), { token: ada.token });
  await page.getByText('The first claim.').waitFor();
  await press(page, 'Answer');
  await page.getByLabel('Your answer').fill('Half an ans');
  const { fingerprint: other } = await register('noon.jpg');
  await contest('The second claim.', other);
  await page.getByText('The second claim.').waitFor();
  expect(await page.getByLabel('Your answer').inputValue()).toBe('Half an ans');
  await expect.poll(() => page.locator('.visually-hidden[role=status]').textContent()).toBe('This page was updated.');

  await page.goto(at(`/dashboard/organizations/${organizationId}`));
  await page.getByText('created the organization.').waitFor();
  const units = page.getByRole('spinbutton');
  await units.fill('17');
  await ada.client.createApiKey({ organizationId, name: 'build server' });
  await page.getByText('created the API key build server.').waitFor();
  expect(await units.inputValue()).toBe('17');

  await page.goto(at('/dashboard/files'));
  const row = (name: string) => page.getByRole('listitem').filter({ hasText: name });
  await row('noon.jpg').getByText('On chain').waitFor();
  await register('dusk.jpg');
  await row('dusk.jpg').getByText('On chain').waitFor();
  // Nothing moves below a selection.
  await row('dusk.jpg').getByRole('checkbox').check();
  await register('night.jpg');
  await press(page, 'Show new files');
  await row('night.jpg').getByText('On chain').waitFor();
  expect(await row('dusk.jpg').getByRole('checkbox').isChecked()).toBe(true);

  // One connection, whatever the user opens, and none without a need for it.
  const requests: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  const tabs = page.getByRole('navigation', { name: 'Dashboard' });
  await tabs.getByRole('link', { name: 'Marks' }).click();
  await ada.client.createMark({ name: 'Ada’s Films' });
  await page.getByRole('link', { name: 'Ada’s Films' }).waitFor();
  expect(requests.filter((path) => path.endsWith('/stream'))).toEqual([]);
  await page.goto(at('/gallery'));
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(requests.filter((path) => path.endsWith('/stream'))).toEqual([]);
});

test('a stream that breaks or is refused says so, and recovers', async () => {
  const page = await openPage(`${proxy.url}/dashboard/marks`, {
    token: ada.token,
    size: 'phone',
    theme: 'dark',
    expected: FAILED_REQUEST,
  });
  await page.getByRole('link', { name: 'Ada Lovelace Photography' }).waitFor();
  const message = page.getByText(NOT_LIVE);
  await page.route(STREAM, (route) => route.abort());
  proxy.disconnect();
  await message.waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  // There is no polling beside it: only the user loads it again.
  await ada.client.createMark({ name: 'While broken' });
  await press(page, 'Refresh');
  await page.getByRole('link', { name: 'While broken' }).waitFor();
  await message.waitFor();
  await page.unroute(STREAM);
  await message.waitFor({ state: 'detached' });
  await ada.client.createMark({ name: 'Live again' });
  await page.getByRole('link', { name: 'Live again' }).waitFor();

  await page.route(STREAM, (route) =>
    route.fulfill({ status: 404, json: { error: { code: 'NOT_FOUND', message: '' } } }),
  );
  proxy.disconnect();
  await page.getByText('Not live: changes made elsewhere do not appear.', { exact: true }).waitFor();
  await ada.client.createMark({ name: 'While refused' });
  await page.unroute(STREAM);
  await press(page, 'Refresh');
  await page.getByRole('link', { name: 'While refused' }).waitFor();
  await message.waitFor({ state: 'detached' });
});
