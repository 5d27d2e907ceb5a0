// Tells a sample of the lies of every row, pin and liar of the lie table. The seed of the run chooses them; with another
// seed, other lies are told. `lies.long.test.ts` tells them all.

import { randomInt } from '../../../test/support/random.js';
import { testLies } from './support/lieTable.js';

/** One in this many lies is told. */
const SAMPLE_INTERVAL = 15;
/** A liar with few lies is heard more than once. */
const MIN_LIES = 2;

testLies((lies) => {
  const count = Math.min(lies.length, Math.max(MIN_LIES, Math.ceil(lies.length / SAMPLE_INTERVAL)));
  const left = [...lies];
  return Array.from({ length: count }, () => left.splice(randomInt(left.length), 1)).flat();
});
