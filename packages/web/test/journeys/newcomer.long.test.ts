// A newcomer on a phone: from the first visit to a first file.

import { test } from 'vitest';
import { startService } from '../../../../test/support/service.js';
import { registerFirstFile } from './flows/registerFirstFile.js';

test('from the first visit to a registered file that a stranger finds, on a phone in dark', async () => {
  await registerFirstFile(await startService(), { size: 'phone', theme: 'dark' });
});
