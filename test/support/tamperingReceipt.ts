// The lies of a dishonest log: receipts of other logs and of other leaves, changed receipts, and leaves that the log signs although
// they are not true.

import type { Bundle } from '../../packages/client/src/index.js';
import { listReceiptChanges } from '../../packages/client/test/support/receiptChanges.js';
import { createRandom } from '../../packages/client/test/support/seededChoices.js';
import { listHostileLeaves } from './hostileLeaves.js';
import { seed } from './random.js';
import type { BundleLie } from './tamperingBundle.js';
import { createTestLog, leafOf, type TestLog } from './testLog.js';

/** Each change of a text is made at a few of its places. */
const TIMES = 4;

/** @param honest with the receipt of this log, as the other one */
export async function listReceiptLies(honest: Bundle, others: Bundle, log: TestLog): Promise<BundleLie[]> {
  const [origin = ''] = log.key.split('+');
  const impostor = await createTestLog(origin, 'another key');
  const twin = await createTestLog(origin);
  const elsewhere = await createTestLog('other.example/log');
  const logs = [
    ...(await Promise.all([impostor, elsewhere, twin].map((one) => one.logLeaf(leafOf(others))))),
    ...(await Promise.all([impostor, elsewhere].map((one) => one.logLeaf(leafOf(honest, { license: 'CC0-1.0' }))))),
    await impostor.logLeaf(leafOf(honest)),
    others.log,
    { ...others.log, leaf: honest.log?.leaf },
    { ...others.log, receipt: honest.log?.receipt },
    ...listReceiptChanges(honest, others, createRandom(seed), TIMES),
  ];
  const changed = logs.map((one, index) => ({ name: `receipt ${index}`, bundle: { ...honest, log: one } }));
  const leaves = (await listHostileLeaves(honest, others, log)).map((bundle, index) => ({
    name: `leaf ${index}`,
    bundle,
  }));
  // With less to compare a lie with.
  const bare = leaves.map(({ name, bundle: { chain: _, metadata: __, ...bundle } }) => ({
    name: `${name}, no metadata`,
    bundle,
  }));
  return [...changed, ...leaves, ...bare];
}
