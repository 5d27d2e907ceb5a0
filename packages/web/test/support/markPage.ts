// The list of Artifacts on the page of a Mark.

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { query } from '../../../../test/support/postgres.js';

/** Inserted directly, because the API would take minutes. "plate 1" is the newest. They have no files. */
export async function insertArtifacts(
  databaseUrl: string,
  { markId, userId, count }: { markId: string; userId: string; count: number },
): Promise<void> {
  await query(
    databaseUrl,
    `insert into artifacts (id, mark_id, created_by, status, fingerprint, manifest_hash, metadata, created_at)
     select gen_random_uuid(), $1, $2, 2, sha256(number::text::bytea), sha256('x'),
       jsonb_build_object('kind', 'image', 'filename', 'plate ' || number), now() - number * interval '1 minute'
     from generate_series(1, ${count}) number`,
    [markId, userId],
  );
}

export const row = (page: Page, name: string) => page.getByRole('link', { name: new RegExp(`^${name} `) });
export const listNames = (page: Page) => page.locator('li[aria-posinset] a > span > :first-child').allTextContents();
/** Scrolls until the row is visible. */
export const scrollTo = (page: Page, plate: number) =>
  expect
    .poll(async () => {
      await page.evaluate(
        `{
          const list = document.querySelector('ul:has(> li[aria-posinset])');
          scrollTo(0, list.offsetTop + (${plate} - 3) * list.querySelector('li').offsetHeight);
        }`,
      );
      return row(page, `plate ${plate}`).isVisible();
    })
    .toBe(true);
