// A newcomer: learns on the front page what this is, signs up, registers a first file, and a stranger finds it.

import { test } from 'vitest';
import { startService } from '../../../../test/support/service.js';
import { openPage } from '../support/browser.js';
import { expectUsable, heading, link, registerFirstFile } from './flows/registerFirstFile.js';

const service = await startService();
const at = (path: string) => `${service.url}${path}`;

test('a gallery without Marks says what it will show, and leads on', async () => {
  const page = await openPage(at('/gallery'));
  await page.getByText(/will list the public Marks of this registry/).waitFor();
  await expectUsable(page);
  await link(page, 'What is a Mark?').click();
  await heading(page, 'How it works');
  await page.goBack();
  await link(page, 'Sign up and create a Mark').click();
  await heading(page, 'Sign up');
});

test('from the first visit to a registered file that a stranger finds', async () => {
  await registerFirstFile(service, { size: 'desktop', theme: 'light' });
});
