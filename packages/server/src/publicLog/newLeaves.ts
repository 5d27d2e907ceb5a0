// Leaves that are made when they get their places: of failed Artifacts, of Artifacts that were recorded without one, and of
// what there was before the log.

import type { Fingerprint } from '@provenance-registry/core';
import { decodeUtf8, encodeLeaf } from '@provenance-registry/log';
import { claimEntry, contentEntry, hashManifest, markEntry, registrationEntry } from '../domain/log/leaves.js';
import type {
  FileStore,
  ImportPage,
  LogSequence,
  NewLogEntry,
  NewLogOpening,
  PendingLeaf,
  SequencedLeaf,
  StoredRegistration,
} from '../domain/ports/index.js';

/** Manifests that are read at once: a store in a bucket answers in some 20 ms. */
const MAX_PARALLEL_READS = 64;

export interface LeafSources {
  readonly records: Pick<LogSequence, 'findLeafIndexes' | 'findRegistrations'>;
  /** Published manifests. */
  readonly files: Pick<FileStore, 'read'>;
  readonly clock: () => Date;
  /** An Artifact whose manifest is gone cannot be logged. */
  readonly onLost: (registration: StoredRegistration) => void;
}

export interface CompletedLeaves {
  readonly leaves: readonly SequencedLeaf[];
  /** Ids of pending leaves that have no place in the log. */
  readonly dropped: readonly string[];
}

/** Makes the leaves that are still to be made. @param firstIndex that of the first leaf */
export async function completeLeaves(
  sources: LeafSources,
  pending: readonly PendingLeaf[],
  firstIndex: number,
): Promise<CompletedLeaves> {
  const unmade = pending.flatMap(({ leaf, fingerprint }) => (leaf === null && fingerprint ? [fingerprint] : []));
  const [indexes, registered] =
    unmade.length === 0
      ? [new Map<Fingerprint, number>(), new Map<Fingerprint, NewLogEntry>()]
      : [new Map(await sources.records.findLeafIndexes(unmade)), await makeMissing(sources, pending, unmade)];
  const leaves: SequencedLeaf[] = [];
  const dropped: string[] = [];
  for (const entry of pending) {
    const made = entry.leaf === null ? make(entry, indexes, registered) : { leaf: entry.leaf };
    if (!made) {
      dropped.push(entry.id);
      continue;
    }
    if (entry.fingerprint && entry.kind !== 'failed') indexes.set(entry.fingerprint, firstIndex + leaves.length);
    const { kind, id, fingerprint } = entry;
    leaves.push({ id, kind, fingerprint, leaf: made.leaf, opening: made.opening });
  }
  return { leaves, dropped };
}

interface MadeLeaf {
  readonly leaf: string;
  readonly opening?: NewLogOpening | undefined;
}

function make(
  { kind, fingerprint, createdAt }: PendingLeaf,
  indexes: ReadonlyMap<Fingerprint, number>,
  registered: ReadonlyMap<Fingerprint, NewLogEntry>,
): MadeLeaf | undefined {
  if (fingerprint === null) return undefined;
  const index = indexes.get(fingerprint);
  // An Artifact that failed before it was in the log has no leaf to take back.
  if (kind === 'failed') return index === undefined ? undefined : { leaf: failedLeaf(index, createdAt) };
  // After a recovery, the log may have it already.
  return index === undefined ? registered.get(fingerprint) : undefined;
}

function failedLeaf(index: number, time: Date): string {
  return decodeUtf8(encodeLeaf({ kind: 'failed', content: { index, time: time.toISOString() } }));
}

async function makeMissing(
  sources: LeafSources,
  pending: readonly PendingLeaf[],
  unmade: readonly Fingerprint[],
): Promise<Map<Fingerprint, NewLogEntry>> {
  const isRegistration = pending.some(({ leaf, kind }) => leaf === null && kind !== 'failed');
  const registrations = isRegistration ? await sources.records.findRegistrations(unmade) : [];
  const entries = await makeRegistrations(sources, registrations);
  return new Map(entries.flatMap((entry) => (entry.fingerprint ? [[entry.fingerprint, entry] as const] : [])));
}

/** The leaves of what there was before the log. */
export async function makeImported(sources: LeafSources, page: ImportPage): Promise<NewLogEntry[]> {
  const at = { time: sources.clock(), isImported: true };
  const marks = page.marks.map((mark) => markEntry(mark, 'public', at));
  const registrations = await makeRegistrations(sources, page.registrations);
  const hiddenContents = page.registrations
    .filter(({ isContentPrivate }) => isContentPrivate)
    .map(({ fingerprint }) => contentEntry(fingerprint, 'private', at));
  const claims = page.claims.flatMap(({ id, fingerprint, claimantId, statement, evidence, entries }) => [
    claimEntry({ id, fingerprint, step: 'claim', text: statement, authorId: claimantId, evidence, ...at }),
    ...entries.map(({ type, text, authorId }) =>
      claimEntry({ id, fingerprint, step: type, text, authorId: authorId ?? undefined, ...at }),
    ),
  ]);
  return [...marks, ...registrations, ...hiddenContents, ...claims];
}

/** In order; those whose manifests are gone are left out. */
async function makeRegistrations(
  { files, onLost }: LeafSources,
  registrations: readonly StoredRegistration[],
): Promise<NewLogEntry[]> {
  const entries: NewLogEntry[] = [];
  for (let start = 0; start < registrations.length; start += MAX_PARALLEL_READS) {
    const slice = registrations.slice(start, start + MAX_PARALLEL_READS);
    const sidecars = await Promise.all(slice.map(({ artifactId }) => files.read(`${artifactId}.c2pa`)));
    for (const [place, registration] of slice.entries()) {
      const sidecar = sidecars[place];
      if (sidecar) {
        entries.push(registrationEntry({ ...registration, manifest: hashManifest(sidecar), isImported: true }));
      } else onLost(registration);
    }
  }
  return entries;
}
