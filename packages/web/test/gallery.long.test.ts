// The gallery of public Marks on a phone, in both themes.

import { test } from 'vitest';
import { startRegistry, unreachableChain } from '../../../test/support/artifacts.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { expectAccessible, expectNoLayoutShift, expectNoSidewaysScroll, openPage, themes } from './support/browser.js';

const service = await startRegistry(await unreachableChain());
const { client: ada } = await createRegistrant(service.url);
await ada.createMark({ name: 'Ｌighthouse Études', license: 'CC-BY-4.0' });

test.each(themes)('the gallery is accessible in %s, fits on a phone and does not shift', async (theme) => {
  const page = await openPage(`${service.url}/gallery`, { theme, size: 'phone', isFirstVisit: true });
  await page.getByRole('link', { name: /^Ｌighthouse/ }).waitFor();
  await expectNoLayoutShift(page);
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});
