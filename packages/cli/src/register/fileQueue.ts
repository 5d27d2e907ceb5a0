// Brings what a walk finds to where it is registered: once, or again and again as folders change.

import type { Registrar } from './fileRegistrar.js';
import type { Journal } from './journal.js';
import type { BytePath } from './paths.js';
import type { Tally } from './stats.js';
import { type Brake, interrupted } from './stopController.js';
import { type Found, type FoundFile, type Identity, isSame, type NotFile, type Walk, walk } from './walk.js';
import { watchFolders } from './watch.js';

export interface Finding {
  readonly what: Walk;
  readonly registrar: Registrar;
  readonly journal: Journal;
  readonly brake: Brake;
  readonly tally: Tally;
}

/** For changes that nobody told of. */
const LOOK_AGAIN_MS = 60_000;

/** How much there is, for whoever wants to know how far it is. */
export async function countAll(what: Walk, { tally, brake }: Pick<Finding, 'tally' | 'brake'>): Promise<void> {
  let [files, bytes] = [0, 0];
  for await (const found of walk(what)) {
    if (brake.stop) return;
    if (found.kind === 'skipped') continue;
    files += 1;
    bytes += found.kind === 'file' ? found.identity.size : 0;
  }
  tally.total = { files, bytes };
}

/** Everything that is there now. */
export async function registerAll({ what, registrar, journal, brake, tally }: Finding): Promise<void> {
  for await (const found of walk(what)) {
    if (brake.stop === interrupted) break;
    if (found.kind !== 'file') tell(found, tally);
    else if (brake.stop) countRest(found, journal, tally);
    else await registrar.take(found);
  }
  await registrar.finish();
}

/** Then whatever comes or changes, until the brake is pulled. */
export async function keepRegistering(finding: Finding, say: (message: string) => void): Promise<void> {
  const { what, registrar, brake, tally } = finding;
  const folders = watchFolders(brake.signal, say);
  const taken = new Map<BytePath, Identity>();
  const told = new Set<string>();
  let moving = new Map<BytePath, Identity>();

  /** `looked` has what has changed since the last look, and may go on changing. */
  function isDue({ path, identity }: FoundFile, looked: Map<BytePath, Identity> | undefined): boolean {
    if (has(taken, path, identity)) return false;
    if (!looked || has(moving, path, identity)) return true;
    looked.set(path, identity);
    return false;
  }

  async function take(found: Found, looked: Map<BytePath, Identity> | undefined): Promise<void> {
    if (found.kind === 'file') {
      if (!isDue(found, looked)) return;
      taken.set(found.path, found.identity);
      await registrar.take(found);
    } else if (!told.has(found.shown)) {
      told.add(found.shown);
      tell(found, tally);
    }
  }

  async function sweep(looked?: Map<BytePath, Identity>): Promise<void> {
    for await (const found of walk({ ...what, onFolder: folders.add })) {
      if (brake.stop) break;
      await take(found, looked);
    }
    await registrar.finish();
  }

  await sweep();
  if (!brake.stop) say('Watching for new and changed files. Ctrl-C ends it.');
  while (!brake.stop) {
    await folders.change(moving.size > 0 ? 0 : LOOK_AGAIN_MS);
    const looked = new Map<BytePath, Identity>();
    if (!brake.stop) await sweep(looked);
    moving = looked;
  }
  folders.close();
}

function has(known: ReadonlyMap<BytePath, Identity>, path: BytePath, identity: Identity): boolean {
  const before = known.get(path);
  return before !== undefined && isSame(before, identity);
}

/** What was not begun any more, unless an earlier run has done it. */
function countRest({ path, shown, identity }: FoundFile, journal: Journal, tally: Tally): void {
  const kept = journal.get(path);
  if (!kept?.registered || !isSame(kept.identity, identity)) {
    tally.left += 1;
    return;
  }
  tally.fromJournal += 1;
  tally.add({ path: shown, outcome: 'yours', fingerprint: kept.fingerprint, artifactId: kept.registered.id });
}

function tell({ kind, shown, reason }: NotFile, tally: Tally): void {
  tally.add({ path: shown, outcome: kind === 'skipped' ? 'skipped' : 'failed', reason });
}
