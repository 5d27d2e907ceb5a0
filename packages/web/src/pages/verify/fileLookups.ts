// The files that the user has chosen: each is hashed in a worker, then its fingerprint is looked up.

import { type Lookup, lookUp, type RegistryClient } from '@provenance-registry/client';
import { hashBlob } from '@provenance-registry/client/browser';
import { type Fingerprint, isFingerprint, limitConcurrency } from '@provenance-registry/core';
import { createStore, useStore } from '../../store.js';

/** Disks are hardly faster with more readers, and the page needs a core as well. */
const MAX_HASHING = Math.min(navigator.hardwareConcurrency, 4);
const MAX_LOOKUPS = 8;
/** Interval between updates of the page. */
const UPDATE_INTERVAL_MS = 50;
const STORAGE_KEY = 'provenance-verified-files';

export type LookupStep =
  | { readonly name: 'waiting' }
  | { readonly name: 'hashing'; readonly bytes: number }
  | { readonly name: 'lookingUp' }
  | { readonly name: 'done'; readonly result: Lookup }
  | { readonly name: 'failed'; readonly error: unknown }
  | { readonly name: 'stopped' };

export interface FileLookup {
  readonly id: number;
  readonly filename: string;
  readonly size: number;
  readonly mediaType: string;
  readonly fingerprint: Fingerprint | undefined;
  readonly step: LookupStep;
}

type StoredFile = Pick<FileLookup, 'filename' | 'size' | 'mediaType' | 'fingerprint'>;
export type HashedFile = StoredFile & {
  readonly fingerprint: Fingerprint;
  /** Undefined after a reload. */
  readonly content: File | undefined;
};

/** The page was reloaded before the file was hashed. */
export class FileLostError extends Error {}

const lookups = new Map<number, FileLookup>();
/** Empty after a reload, which keeps only fingerprints. */
const files = new Map<number, File>();
/** What the page shows: `lookups`, at most UPDATE_INTERVAL_MS old. */
const shownLookups = createStore<readonly FileLookup[]>([]);
let updateTimer: ReturnType<typeof setTimeout> | undefined;
let controller = new AbortController();
let startedFiles: readonly File[] | undefined;

const unlimitedQueueError = () => new Error('A queue without a limit is never full.');
const limitHashing = limitConcurrency(MAX_HASHING, Number.POSITIVE_INFINITY, unlimitedQueueError);
const limitLookups = limitConcurrency(MAX_LOOKUPS, Number.POSITIVE_INFINITY, unlimitedQueueError);

export function useFileLookups(): readonly FileLookup[] {
  return useStore(shownLookups);
}

function publish(): void {
  clearTimeout(updateTimer);
  updateTimer = undefined;
  shownLookups.set([...lookups.values()]);
}

function update(id: number, changes: Partial<FileLookup>): void {
  const lookup = lookups.get(id);
  if (!lookup) return;
  lookups.set(id, { ...lookup, ...changes });
  updateTimer ??= setTimeout(publish, UPDATE_INTERVAL_MS);
}

/** Replaces the current lookups. Does nothing when these files were started already. */
export function startLookups(chosen: readonly File[], client: RegistryClient): void {
  if (chosen === startedFiles) return;
  controller.abort();
  controller = new AbortController();
  lookups.clear();
  files.clear();
  startedFiles = chosen;
  for (const [id, file] of chosen.entries()) {
    files.set(id, file);
    const { name: filename, size, type: mediaType } = file;
    lookups.set(id, { id, filename, size, mediaType, fingerprint: undefined, step: { name: 'waiting' } });
  }
  publish();
  run([...lookups.keys()], client);
}

export function stopLookups(): void {
  controller.abort();
}

export function retryLookups(client: RegistryClient): void {
  const unfinished = shownLookups.get().filter(({ step }) => step.name === 'failed' || step.name === 'stopped');
  const ids = unfinished.map(({ id }) => id);
  if (controller.signal.aborted) controller = new AbortController();
  run(ids, client);
}

function run(ids: readonly number[], client: RegistryClient): void {
  const { signal } = controller;
  for (const id of ids) {
    processFile(id, client, signal).catch((error: unknown) => {
      // The lookups that replaced these use the same ids.
      if (signal === controller.signal)
        update(id, { step: signal.aborted ? { name: 'stopped' } : { name: 'failed', error } });
    });
  }
}

async function processFile(id: number, client: RegistryClient, signal: AbortSignal): Promise<void> {
  const lookup = lookups.get(id);
  if (!lookup) return;
  const fingerprint = lookup.fingerprint ?? (await hashFile(id, signal));
  update(id, { fingerprint, step: { name: 'lookingUp' } });
  // The page of a single fingerprint looks it up itself.
  if (lookups.size === 1) return;
  const result = await limitLookups(() => lookUp(client, fingerprint, { signal }));
  update(id, { step: { name: 'done', result } });
}

async function hashFile(id: number, signal: AbortSignal): Promise<Fingerprint> {
  update(id, { step: { name: 'waiting' } });
  const hashed = await limitHashing(async () => {
    const file = files.get(id);
    if (!file) throw new FileLostError();
    update(id, { step: { name: 'hashing', bytes: 0 } });
    const onProgress = ({ bytes }: { bytes: number }) => {
      if (!signal.aborted) update(id, { step: { name: 'hashing', bytes } });
    };
    return hashBlob(file, { signal, onProgress });
  });
  signal.throwIfAborted();
  return hashed.fingerprint;
}

/** Saves the fingerprints for a reload of this tab. Browsers cannot store the files themselves. */
export function saveLookups(): void {
  if (lookups.size === 0) return;
  const stored = [...lookups.values()].map(
    ({ filename, size, mediaType, fingerprint }): StoredFile => ({ filename, size, mediaType, fingerprint }),
  );
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(stored));
  } catch {
    // Blocked or full: a reload starts without files.
  }
}

/** Continues with what saveLookups has stored, unless there are lookups already. */
export function restoreLookups(client: RegistryClient): void {
  if (lookups.size > 0) return;
  for (const [id, { fingerprint, ...stored }] of readStoredFiles().entries()) {
    lookups.set(id, { ...stored, fingerprint, id, step: { name: 'waiting' } });
  }
  publish();
  run([...lookups.keys()], client);
}

/** Undefined after a reload. */
export function findChosenFile(id: number): File | undefined {
  return files.get(id);
}

/** The chosen file that has this fingerprint. */
export function findFile(fingerprint: Fingerprint): HashedFile | undefined {
  const lookup = [...lookups.values()].find((one) => one.fingerprint === fingerprint);
  if (lookup) return { ...lookup, fingerprint, content: files.get(lookup.id) };
  const stored = lookups.size > 0 ? undefined : readStoredFiles().find((one) => one.fingerprint === fingerprint);
  return stored && { ...stored, fingerprint, content: undefined };
}

function readStoredFiles(): StoredFile[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isStoredFile) : [];
  } catch {
    return [];
  }
}

function isStoredFile(value: unknown): value is StoredFile {
  if (typeof value !== 'object' || value === null) return false;
  const { filename, size, mediaType, fingerprint }: Partial<Record<keyof StoredFile, unknown>> = value;
  const hasValidFingerprint =
    fingerprint === undefined || (typeof fingerprint === 'string' && isFingerprint(fingerprint));
  return (
    hasValidFingerprint && typeof filename === 'string' && typeof size === 'number' && typeof mediaType === 'string'
  );
}
