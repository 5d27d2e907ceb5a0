// The order of the test files: the longest start first, so that none of them runs alone at the end.

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, the longest first. */
const LONGEST = [
  'test/chaos.test.ts',
  'packages/cli/test/examples.test.ts',
  'packages/client/test/lies.test.ts',
  'packages/server/test/chain/submitterFaults.test.ts',
  'packages/cli/test/service.test.ts',
  'packages/web/test/registerPage.test.ts',
  'packages/server/test/chain/chainSetup.test.ts',
  'packages/server/test/fuzz/fuzz.test.ts',
  'packages/server/test/database/embedded.test.ts',
  'packages/cli/test/registerFaults.test.ts',
  'packages/server/test/database/restore.test.ts',
  'packages/cli/test/register.test.ts',
  'packages/server/test/media/media.test.ts',
  'packages/cli/test/filter.test.ts',
  'packages/web/test/dashboard.test.ts',
  'packages/web/test/verify.test.ts',
  'packages/cli/test/accounts.test.ts',
  'packages/web/test/accounts.test.ts',
  'packages/web/test/verification.test.ts',
  'packages/server/test/audit/auditEmbedded.test.ts',
  'packages/web/test/organizations.test.ts',
  'packages/server/test/artifacts/concurrency.test.ts',
  'packages/server/test/artifacts/waiting.test.ts',
];

export class LongestFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.findIndex((path) => moduleId.endsWith(`/${path}`));
      return place < 0 ? LONGEST.length : place;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
