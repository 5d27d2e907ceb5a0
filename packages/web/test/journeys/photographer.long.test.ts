// The photographer on a phone.

import { test } from 'vitest';
import { startService } from '../../../../test/support/service.js';
import { deliverPhotos } from './flows/deliverPhotos.js';

test('photos are registered, exported, secured and shown to a client, on a phone', async () => {
  await deliverPhotos(await startService(), 'phone');
});
