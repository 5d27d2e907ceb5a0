// The extension in a real Chromium, with pages and servers that mean harm.

import { waitForStatus } from '@provenance-registry/client';
import { expect, test } from 'vitest';
import { fingerprintOf } from '../../../test/support/artifacts.js';
import { expectAccessible } from '../../web/test/support/browser.js';
import { GRANTED_HOST, readAnswer, readFacts } from './support/extension.js';
import { file, open } from './support/fileServer.js';
import { startExtensionWithRegistry } from './support/registry.js';

const { proxy, ada, mark, extension, server, pageUrl, picture } = await startExtensionWithRegistry('Ada’s Photos');
const fingerprint = fingerprintOf(picture);
await ada.client.createArtifact({ markId: mark.id, fingerprint, filename: 'lake.jpg' });
await waitForStatus(ada.client, fingerprint);
await extension.options.getByLabel('Address of the registry').fill(proxy.url);
await extension.options.keyboard.press('Enter');
await extension.options.getByRole('button', { name: 'Use this registry' }).click();
await extension.options.getByText('Saved.').waitFor();

test('files that cannot or must not be read are told as such, and other files can be chosen instead', async () => {
  const names = '%E2%80%AE%3Cb%3Egpj.exe';
  server.serve('/kept.jpg', file(picture));
  server.serve(`/${names}`, file(picture));
  server.serve('/moved.jpg', (_request, response) => response.writeHead(302, { ...open, location: '/kept.jpg' }).end());
  const inward = server.url('127.0.0.1', '/kept.jpg');
  server.serve('/inward.jpg', (_request, response) => response.writeHead(302, { location: inward }).end());
  server.serve('/huge.bin', file('', { ...open, 'content-length': '300000000' }));
  let isOver = false;
  server.serve('/endless.mp3', (_request, response) => {
    response.writeHead(200, open);
    const timer = setInterval(() => response.write(Buffer.alloc(1000)), 20);
    response.on('close', () => {
      clearInterval(timer);
      isOver = true;
    });
  });
  // 30,000 pixels on each side.
  const bomb = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAdTAAAHUwCAYAAAA=', 'base64');
  server.serve('/bomb.png', file(bomb, open));

  const kept = await extension.choose('image', server.url('cdn.example', '/kept.jpg'), pageUrl);
  await kept.getByText('cdn.example', { exact: false }).first().waitFor();
  await kept.getByText('does not let other sites read this file (CORS), or it cannot be reached.').waitFor();
  await kept.getByRole('button', { name: 'Allow access to cdn.example' }).waitFor();
  await expectAccessible(kept);
  await kept
    .getByLabel('Choose a file')
    .setInputFiles({ name: 'lake‮gpj.exe', mimeType: 'image/jpeg', buffer: picture });
  expect((await readAnswer(kept, 'Exact match')).state).toBe('Found');
  expect(await readFacts(kept)).toContain('lake\\u202egpj.exe');
  await kept.close();

  const granted = await extension.choose('link', server.url(GRANTED_HOST, `/${names}`), pageUrl);
  expect((await readAnswer(granted, 'Exact match')).state).toBe('Found');
  expect(await readFacts(granted)).toContain('\\u202e<b>gpj.exe');
  await granted.close();

  const before = server.requestsFor('/kept.jpg').length;
  const moved = await extension.choose('image', server.url(GRANTED_HOST, '/moved.jpg'), pageUrl);
  await moved.getByText('redirects to another address').waitFor();
  expect(server.requestsFor('/kept.jpg').length).toBe(before);
  await moved.getByRole('button', { name: 'Follow the redirect' }).click();
  expect((await readAnswer(moved, 'Exact match')).state).toBe('Found');
  expect(await readFacts(moved)).toContain('after a redirect');
  await moved.close();

  const refusals: [item: 'image' | 'audio' | 'link', url: string, text: string][] = [
    ['image', inward, 'Pages must not make this extension send requests there.'],
    ['image', 'blob:http://site.example/1', 'exists only inside the page (a blob: address)'],
    ['audio', server.url('site.example', '/none.mp3'), 'responded with status 404'],
    ['link', server.url('site.example', '/huge.bin'), 'The file is larger than 268.4 MB.'],
  ];
  for (const [item, url, text] of refusals) {
    const panel = await extension.choose(item, url, pageUrl);
    await panel.getByText(text).waitFor();
    expect(await panel.locator('dl > div[data-tone]').count()).toBe(0);
    await panel.close();
  }
  expect(server.requests.filter(({ headers }) => headers.host?.startsWith('127.0.0.1'))).toEqual([]);

  const inwardPanel = await extension.choose('image', server.url(GRANTED_HOST, '/inward.jpg'), pageUrl);
  await inwardPanel.getByRole('button', { name: 'Follow the redirect' }).click();
  await inwardPanel.getByText('redirects does not let other sites read the file').waitFor();
  expect(await inwardPanel.locator('dl > div[data-tone]').count()).toBe(0);

  const endless = await extension.choose('audio', server.url('site.example', '/endless.mp3'), pageUrl);
  await endless.getByText(/KB/).waitFor();
  await endless.getByRole('button', { name: 'Stop' }).click();
  await endless.getByText('Stopped. Nothing was asked.').waitFor();
  await expect.poll(() => isOver).toBe(true);
  await Promise.all([inwardPanel.close(), endless.close()]);

  const large = await extension.choose('image', server.url('site.example', '/bomb.png'), pageUrl);
  expect((await readAnswer(large, 'Look-alikes')).text).toContain('larger than 32 MiB or 100 megapixels');
  expect(await large.getByRole('img').count()).toBe(0);
  await large.close();

  const inline = await extension.choose('image', `data:image/jpeg;base64,${picture.toString('base64')}`, pageUrl);
  expect((await readAnswer(inline, 'Exact match')).state).toBe('Found');
  expect(await readFacts(inline)).toContain('the page itself (a data: address). Nothing was fetched.');
});
