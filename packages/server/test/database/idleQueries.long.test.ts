// What a service asks the database while nobody uses it.

import { expect, it } from 'vitest';
import { createMigratedDatabase } from '../../../../test/support/postgres.js';
import { startService } from '../../../../test/support/service.js';
import { startCuttingProxy } from '../support/cuttingProxy.js';

/** Once in ten seconds. */
const CLOCK_MEASUREMENT = 'extract(epoch from clock_timestamp())';
const MAX_STATEMENTS_IN_30_S = 150;

it('An idle service asks the database at most five times a second, and later less', { timeout: 150_000 }, async () => {
  const counts: number[] = [];
  let count = 0;
  const { url } = await startCuttingProxy(await createMigratedDatabase(), (message) => {
    count += 1;
    if (!message.includes(CLOCK_MEASUREMENT)) return;
    counts.push(count);
    count = 0;
  });
  await startService({ DATABASE_URL: url });
  const ofLastMeasurements = () => counts.slice(-3).reduce((sum, one) => sum + one, 0);
  // Measured once at the start, too.
  await expect
    .poll(() => counts.length >= 5 && ofLastMeasurements(), { timeout: 120_000 })
    .toBeLessThan(MAX_STATEMENTS_IN_30_S);
});
