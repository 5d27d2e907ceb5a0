// What creations leave behind: drafts of those that failed or died, which are undone, and first answers, which are kept for
// a day.

import type { Ports } from './ports/index.js';

/** So long a first answer is kept for its key. */
export const ANSWERS_KEPT_MS = 24 * 60 * 60 * 1000;
/** Signing, publishing and recording take a second; what takes this long has no process any more. */
const DRAFT_ABANDONED_MS = 30_000;
/** Long before that it begins anew. */
export const DRAFT_AGES_MS = 10_000;
const DRAFTS_AT_ONCE = 100;

/** Removes what processes that died have left. Safe to do in many processes at once. */
export async function undoAbandonedCreations(ports: Ports): Promise<void> {
  const now = ports.clock().getTime();
  const old = await ports.store.drafts.olderThan(new Date(now - DRAFT_ABANDONED_MS), DRAFTS_AT_ONCE);
  for (const id of old) await abandon(ports, id);
  await ports.store.artifacts.deleteExpiredIdempotencyRecords(new Date(now - ANSWERS_KEPT_MS));
}

/** Whether the database took it although it did not say so; if not, it is undone. */
export async function recoverOrUndo(ports: Ports, id: string): Promise<boolean> {
  try {
    if (await abandon(ports, id)) return false;
    if (await ports.store.artifacts.findById(id)) return true;
    // Given up by somebody else, perhaps before the last file was published.
    await removeFiles(ports, id);
  } catch {
    // What cannot be undone now is undone when its draft is old.
  }
  return false;
}

function abandon(ports: Ports, id: string): Promise<boolean> {
  return ports.store.drafts.abandon(id, () => removeFiles(ports, id));
}

async function removeFiles({ files }: Ports, id: string): Promise<void> {
  await Promise.all(['c2pa', 'json', 'png'].map((extension) => files.remove(`${id}.${extension}`)));
}
