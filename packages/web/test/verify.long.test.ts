// Verifying files on the front page: five hundred of them, and on a phone in both themes.

import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { randomUUID } from '../../../test/support/random.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startService } from '../../../test/support/service.js';
import { expectAccessible, expectNoSidewaysScroll, openPage, themes } from './support/browser.js';
import { consistent, homeHeading, registerFile, title, untilReady, verifyIndependently } from './support/verifyPage.js';

const markup = '<img src=x onerror=alert(1)>';
const service = await startService();
const home = `${service.url}/`;
const ada = await createRegistrant(service.url);
const evil = await registerFile(ada, await ada.client.createMark({ name: markup }), `${markup}.txt`);

test('five hundred files are processed a few at a time', async () => {
  const countActivity = `
      window.activity = { current: 0, maxConcurrent: 0, workers: 0 };
      const { fetch: originalFetch, Worker: OriginalWorker } = window;
      window.fetch = async (...request) => {
        activity.current += 1;
        activity.maxConcurrent = Math.max(activity.maxConcurrent, activity.current);
        try { return await originalFetch(...request); } finally { activity.current -= 1; }
      };
      window.Worker = class extends OriginalWorker {
        constructor(...args) { super(...args); activity.workers += 1; }
      };`;
  const page = await openPage(home, { initScript: countActivity });
  await untilReady(page);
  await page.evaluate(`(() => {
      const dataTransfer = new DataTransfer();
      for (let i = 0; i < 500; i += 1) dataTransfer.items.add(new File(['${randomUUID()}' + i], i + '.txt'));
      dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    })()`);
  // Located by class: searching the text of all rows in every frame would slow the page down.
  await page
    .locator('div:has(> progress)', { hasText: '500 of 500 checked: 0 registered, 500 not registered here.' })
    .waitFor();
  expect(await page.getByText('No exact match here', { exact: true }).count()).toBe(500);
  const { maxConcurrent, workers } = await page.evaluate<{ maxConcurrent: number; workers: number }>('activity');
  expect(maxConcurrent).toBeLessThanOrEqual(8);
  expect(workers).toBeLessThanOrEqual(4);
});

test('on a phone, input and results are accessible in both themes, and fit', async () => {
  const page = await openPage(home, { size: 'phone' });
  const expectUsable = async (heading: Locator) => {
    await heading.waitFor();
    for (const colorScheme of themes) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
    }
    await expectNoSidewaysScroll(page);
  };
  await expectUsable(homeHeading(page));
  await page.goto(`${home}?fingerprint=0x${'ab'.repeat(32)}`);
  await expectUsable(title(page, 'Not registered here'));
  await page.goto(`${home}?fingerprint=${evil.fingerprint}`);
  await verifyIndependently(page);
  await page.getByText(consistent).first().waitFor();
  await expectUsable(title(page, `Registered under the Mark “${markup}”, according to this service`));
});
