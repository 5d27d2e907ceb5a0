// Pages that follow the feed of events, and those of webhooks, with a real browser, service and receiver.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { newFingerprint } from '../../../test/support/artifacts.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startService } from '../../../test/support/service.js';
import { expectAccessible, expectNoSidewaysScroll, openPage, sizes } from './support/browser.js';
import { startRecordingProxy } from './support/recordingProxy.js';

const STREAM = '**/api/v1/events/stream';
const FAILED_REQUEST = /Failed to load resource/;
const NOT_LIVE = /^Not live: changes made elsewhere do not appear/;

const service = await startService({ WEBHOOK_LOOPBACK: 'true' });
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
  await expect.poll(() => page.locator('div[role=status] > span').textContent()).toBe('This page was updated.');

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

test('a webhook is created, shows its deliveries and failures, and sends events again', async () => {
  const received: { url: string | undefined; id: unknown; type: unknown }[] = [];
  let status = 204;
  let isReady = false;
  const receiver = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { type, data } = JSON.parse(Buffer.concat(chunks).toString());
    if (type === 'webhook.challenge') {
      response.writeHead(isReady ? 200 : 500).end(data.challenge);
      return;
    }
    received.push({ url: request.url, id: request.headers['webhook-id'], type });
    response.writeHead(status).end();
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  afterAll(() => {
    receiver.close();
    receiver.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;

  const { client, token, markId } = await createRegistrant(service.url);
  const page = await openPage(at('/dashboard/webhooks'), { token, expected: FAILED_REQUEST });
  await page.getByText('No webhooks yet.').waitFor();
  const guide = await page.getByRole('link', { name: 'How to receive them' }).getAttribute('href');
  expect((await fetch(at(String(guide)))).status).toBe(200);
  await page.getByRole('textbox', { name: 'Address' }).fill('example.org');
  await page.getByRole('radio', { name: /^Only these/ }).check();
  await press(page, 'Create webhook');
  const alerts = page.getByRole('alert').filter({ hasText: /./ });
  await expect
    .poll(() => alerts.allTextContents())
    .toEqual(['Enter a whole address, such as https://example.org/hooks.', 'Choose at least one type of event.']);
  await page.getByRole('textbox', { name: 'Address' }).fill(url);
  await page.getByText('Files: 0 of').click();
  await page.getByRole('checkbox', { name: /^File registered/ }).check();
  await page.getByText('Files: 1 of').waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await press(page, 'Create webhook');
  await page.getByText('It cannot be shown again.').waitFor();
  const secret = await page.locator('[data-secret]').textContent();
  expect(secret).toMatch(/^whsec_/);
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.getByText('Before the first event, your server has to answer a challenge').waitFor();
  await press(page, 'I have saved it');
  expect(await page.getByText(String(secret)).count()).toBe(0);

  await page.getByRole('link', { name: url }).click();
  const delivery = (name: string) => page.locator('main ol').getByRole('listitem').filter({ hasText: name });
  const refreshUntil = async (text: string) => {
    await expect
      .poll(async () => {
        await press(page, 'Refresh');
        return page.getByRole('main').textContent();
      })
      .toContain(text);
  };
  await page.getByText('It did not: The server answered with status 500.').waitFor();
  await expectAccessible(page);
  expect(received).toEqual([]);
  isReady = true;
  await press(page, 'Send the challenge again');
  await page.getByText('Events are sent as they happen.').waitFor();
  await refreshUntil('Webhook created');
  await delivery('Webhook created').getByText('Delivered (204)').waitFor();
  await page.getByText('Events are sent as they happen.').waitFor();
  await client.createArtifact({ markId, fingerprint: newFingerprint(), filename: 'dawn.jpg' });
  await refreshUntil('File registered');

  status = 503;
  await client.createArtifact({ markId, fingerprint: newFingerprint(), filename: 'noon.jpg' });
  await refreshUntil('Your server has not accepted an event since');
  await delivery('File registered').getByText('Failed (503)').first().waitFor();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.setViewportSize(sizes.desktop);
  status = 204;
  const before = received.length;
  await delivery('Webhook created')
    .getByRole('button', { name: /^Send again from here/ })
    .click();
  await page.getByRole('dialog').getByText('all that follow it are sent again').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Send again from here' }).click();
  await refreshUntil('Events are sent as they happen.');
  await expect
    .poll(() => received.slice(before).map(({ type }) => type))
    .toEqual(['webhook.created', 'artifact.created', 'artifact.created']);
  // The same ids as at first.
  expect(new Set(received.map(({ id }) => id)).size).toBe(3);

  await press(page, 'Pause');
  await page.getByText(/Paused since .+ Nothing is sent\./).waitFor();
  await page.getByRole('textbox', { name: 'Address' }).fill(`${url}/2`);
  await press(page, 'Save');
  await page.getByText('Saved.').waitFor();
  await page.getByRole('heading', { name: `${url}/2` }).waitFor();
  await press(page, 'Resume');
  await page.getByText('Events are sent as they happen.').waitFor();
  await press(page, 'Replace secret');
  await page.getByRole('dialog').getByText('For 24 hours, requests are signed with both secrets').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Replace secret' }).click();
  await page.getByText('Requests are signed with the previous secret too until').first().waitFor();
  expect(await page.locator('[data-secret]').textContent()).not.toBe(secret);
  await expectAccessible(page);

  // A receiver that answers with 410 has its webhook paused, which the dashboard tells.
  status = 410;
  await page.goto(at('/dashboard'));
  await page.getByRole('heading', { name: /^Welcome/ }).waitFor();
  await client.createArtifact({ markId, fingerprint: newFingerprint(), filename: 'dusk.jpg' });
  const notice = page.getByText(`The webhook ${url}/2 was paused by the service.`);
  await notice.waitFor();
  await notice.getByRole('link').click();
  await page.getByText('because your server answered with status 410, which means gone.').waitFor();
  await press(page, 'Delete webhook');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByText('The webhook was deleted.').waitFor();
  await page.getByText('No webhooks yet.').waitFor();
});
