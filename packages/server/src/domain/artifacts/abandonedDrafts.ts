// Undoing creations that failed, or whose process died. A creation is a draft until its Artifact is recorded.

import type { Ports } from '../ports/index.js';

/** A creation takes about a second; a draft this old has no process any more. */
const DRAFT_ABANDONED_MS = 30_000;
/** A creation that is still running renews its draft long before that. */
export const DRAFT_RENEWAL_MS = 10_000;
const DRAFTS_PER_SWEEP = 100;

/** Undoes the creations of dead processes. Any number of processes may do this concurrently. */
export async function undoAbandonedCreations(ports: Ports): Promise<void> {
  const abandonedBefore = new Date(ports.clock().getTime() - DRAFT_ABANDONED_MS);
  for (const id of await ports.store.drafts.listOlderThan(abandonedBefore, DRAFTS_PER_SWEEP)) await undo(ports, id);
}

/**
 * Undoes a failed creation, unless its Artifact is recorded: the database may have committed it without being able to
 * confirm that. True when it is recorded.
 */
export async function undoUnlessRecorded(ports: Ports, artifactId: string): Promise<boolean> {
  try {
    const isUndone = await undo(ports, artifactId);
    if (isUndone) return false;
    const isRecorded = (await ports.store.artifacts.findById(artifactId)) !== undefined;
    // Otherwise another process has undone it, perhaps before this one published its last file.
    if (!isRecorded) await removeFiles(ports, artifactId);
    return isRecorded;
  } catch {
    // The next sweep undoes it.
    return false;
  }
}

function undo(ports: Ports, artifactId: string): Promise<boolean> {
  return ports.store.drafts.abandon(artifactId, () => removeFiles(ports, artifactId));
}

async function removeFiles({ files }: Ports, artifactId: string): Promise<void> {
  await Promise.all(['c2pa', 'json', 'png'].map((extension) => files.remove(`${artifactId}.${extension}`)));
}
