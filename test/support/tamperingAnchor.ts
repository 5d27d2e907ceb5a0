// The lies about the anchor of a log: of other contracts, chains, sizes and trees, in blocks that no chain has, with hashes that agree.

import type { Bundle } from '../../packages/client/src/index.js';
import { mutateAnchor } from '../../packages/client/test/support/anchorMutations.js';
import { createRandom } from '../../packages/client/test/support/seededChoices.js';
import { seed } from './random.js';
import type { BundleLie } from './tamperingBundle.js';
import { ANCHOR_TIME, anchorLog } from './testAnchors.js';
import type { TestLog } from './testLog.js';

const MUTANTS = 60;

/** @param honest with a receipt of this log for the leaf of that index, and its anchor */
export async function listAnchorLies(
  honest: Bundle,
  others: Bundle,
  log: TestLog,
  index: number,
): Promise<BundleLie[]> {
  const { log: logged } = honest;
  if (!logged?.anchor) throw new Error('no anchor');
  const { anchor } = logged;
  const own = await anchorLog(log, index);
  const other = await anchorLog(log, index - 1);
  const forged = async (change: Parameters<typeof anchorLog>[2]) => anchorLog(log, index, change);
  const elsewhere = await forged({ address: `0x${'b2'.repeat(20)}` });
  const smaller = await forged({ size: own.size - 1 });
  const lies = {
    'in another contract': elsewhere,
    'in another contract, under the name of the right one': { ...elsewhere, address: anchor.address },
    'on another chain': { ...anchor, chainId: 1 },
    'of fewer leaves': smaller,
    'of fewer leaves than it says': { ...smaller, size: own.size },
    'of more leaves than it says': { ...anchor, size: anchor.size - 1 },
    'of another tree': await forged({ root: `0x${'cd'.repeat(32)}` }),
    'with the proof of another leaf': { ...anchor, hashes: other.hashes },
    'of a tree of another size': { ...anchor, hashes: anchor.hashes.slice(1) },
    'of an earlier block': await forged({ time: ANCHOR_TIME - 31_536_000 }),
    'of a later block': await forged({ time: ANCHOR_TIME + 86_400 }),
  };
  const named = Object.entries(lies).map(([name, lie]) => ({
    name,
    bundle: { ...honest, log: { ...logged, anchor: lie } },
  }));
  const mutants = Array.from({ length: MUTANTS }, (_, number) => {
    const bundle = structuredClone(honest);
    mutateAnchor(bundle, others, createRandom(seed * 1_000_003 + number));
    return { name: `mutant ${number}`, bundle };
  });
  return [...named, ...mutants].map(({ name, bundle }) => ({ name: `anchor ${name}`, bundle }));
}
