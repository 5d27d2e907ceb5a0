// The page of an Artifact on a phone.

import { test } from 'vitest';
import { newFingerprint, startRegistry, unreachableChain } from '../../../test/support/artifacts.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { expectAccessible, expectNoLayoutShift, expectNoSidewaysScroll, openPage } from './support/browser.js';

test('the page is accessible on a phone in dark, fits and does not shift', async () => {
  const service = await startRegistry(await unreachableChain());
  const { client, markId } = await createRegistrant(service.url);
  const fingerprint = newFingerprint();
  await client.createArtifact({ markId, fingerprint, filename: `${'very-long-'.repeat(30)}name.jpg` });
  const view = { size: 'phone', theme: 'dark', isFirstVisit: true } as const;
  const page = await openPage(`${service.url}/artifacts/${fingerprint}`, view);
  await page.getByRole('heading', { name: 'Share' }).waitFor();
  await expectNoLayoutShift(page);
  await page.getByText('As an image').click();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});
