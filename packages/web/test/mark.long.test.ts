// The public page of a Mark with ten thousand Artifacts, and on a phone.

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startRegistry, unreachableChain } from '../../../test/support/artifacts.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { expectAccessible, expectNoLayoutShift, expectNoSidewaysScroll, openPage, themes } from './support/browser.js';
import { insertArtifacts, listNames, row, scrollTo } from './support/markPage.js';

const ARTIFACT_COUNT = 10_000;
const service = await startRegistry(await unreachableChain());
const { client: ada } = await createRegistrant(service.url);
const { user } = await ada.getMe();
const large = await ada.createMark({ name: 'The Archive', license: 'CC0-1.0' });
await insertArtifacts(service.databaseUrl, { markId: large.id, userId: user.id, count: ARTIFACT_COUNT });
const address = `${service.url}/marks/${large.id}`;

/** Scrolls to the end; returns the highest number of elements that the document had. */
async function scrollToEnd(page: Page): Promise<number> {
  return page.evaluate<number>(
    `new Promise((resolve) => {
      let most = 0;
      const go = () => {
        most = Math.max(most, document.querySelectorAll('*').length);
        const rows = [...document.querySelectorAll('[aria-setsize="${ARTIFACT_COUNT}"]')];
        if (rows.some((row) => row.ariaPosInSet === '${ARTIFACT_COUNT}' && row.textContent !== '')) return resolve(most);
        scrollTo(0, document.documentElement.scrollHeight);
        requestAnimationFrame(go);
      };
      go();
    })`,
  );
}

test('ten thousand Artifacts can be scrolled to the end, and the document stays small', async () => {
  const page = await openPage(address);
  await row(page, 'plate 1').waitFor();
  expect(await scrollToEnd(page)).toBeLessThan(1000);
  await row(page, `plate ${ARTIFACT_COUNT}`).waitFor();
  // Rows that were dropped while scrolling are loaded again.
  await scrollTo(page, 1);
  expect(await listNames(page)).toContain('plate 12');
});

test('the Tab key moves through the rows, beyond those rendered at first', async () => {
  const page = await openPage(address, { size: 'phone', expected: /Failed to load resource/ });
  await row(page, 'plate 1').focus();
  for (let plate = 2; plate <= 31; plate += 1) {
    // On a busy machine, wait until the row is rendered.
    await row(page, `plate ${plate}`).waitFor();
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'plate 31' }).waitFor();
});

test.each(themes)(
  'a Mark with its Artifacts is accessible in %s, fits on a phone and does not shift',
  async (theme) => {
    const page = await openPage(address, { theme, size: 'phone', isFirstVisit: true });
    await row(page, 'plate 1').waitFor();
    await expectNoLayoutShift(page);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  },
);
