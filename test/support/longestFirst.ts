// The order of the test files: those that took longest the last time start first, so that none of them runs alone at the end.

import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { root } from '../../scripts/prepare.mjs';
import { readCosts } from '../../scripts/testCosts.mjs';

export class LongestFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const wallMs = new Map(readCosts().map((cost) => [join(root, cost.file), cost.wallMs]));
    /** Rank without a record, as in a first run: long proofs come first, and after them the largest files. */
    const rank = ({ moduleId }: TestSpecification) =>
      wallMs.get(moduleId) ?? (moduleId.endsWith('.long.test.ts') ? Number.MAX_VALUE : 0);
    const ranked = (await super.sort(files)).map((file) => ({ file, rank: rank(file) }));
    return ranked.toSorted((one, other) => other.rank - one.rank).map(({ file }) => file);
  }
}
