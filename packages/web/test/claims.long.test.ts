// Claims to a registered file on a phone.

import { test } from 'vitest';
import { contestAndWithdraw, startContestedRegistry } from './support/claims.js';

test('a statement is published, answered and withdrawn on a phone, in dark', async () => {
  await contestAndWithdraw(await startContestedRegistry(), { size: 'phone', theme: 'dark' });
});
