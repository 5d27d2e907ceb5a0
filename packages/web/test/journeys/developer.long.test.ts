// A developer on a phone: finds the operation that registers a file in the API reference, and runs its example.

import { test } from 'vitest';
import { startService } from '../../../../test/support/service.js';
import { registerByReference } from './flows/registerByReference.js';

test('from the front page to a registered file, and back, on a phone in dark', async () => {
  await registerByReference(await startService(), { size: 'phone', theme: 'dark' });
});
