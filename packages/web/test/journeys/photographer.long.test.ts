// The photographer: registers photos, finds them again, exports and secures them, and gives a client one link to chosen ones.

import { test } from 'vitest';
import { startService } from '../../../../test/support/service.js';
import { deliverPhotos } from './flows/deliverPhotos.js';

const service = await startService();

test.each(['desktop', 'phone'] as const)(
  'photos are registered, exported, secured and shown to a client, on a %s',
  async (size) => {
    await deliverPhotos(service, size);
  },
);
