// The files that people have given: each is hashed here, in a worker, and then only its fingerprint is looked up.

import type { RegistryClient } from '@provenance-registry/client';
import { hashBlob } from '@provenance-registry/client/browser';
import { type Fingerprint, isFingerprint, limitConcurrency } from '@provenance-registry/core';
import { useSyncExternalStore } from 'react';
import { type Finding, lookUp } from './lookup.js';

/** A disk is hardly faster with more readers, and the page needs a core as well. */
const HASHED_AT_ONCE = Math.min(navigator.hardwareConcurrency, 4);
const LOOKED_UP_AT_ONCE = 8;
/** Progress is shown so often: more would be work without being seen. */
const SHOW_EVERY_MS = 50;
const KEY = 'provenance-verified-files';

export type Step =
  | { readonly name: 'waiting' }
  | { readonly name: 'hashing'; readonly bytes: number }
  | { readonly name: 'asking' }
  | { readonly name: 'answered'; readonly finding: Finding }
  | { readonly name: 'failed'; readonly error: unknown }
  | { readonly name: 'stopped' };

export interface Entry {
  readonly id: number;
  readonly filename: string;
  readonly size: number;
  readonly mediaType: string;
  readonly fingerprint: Fingerprint | undefined;
  readonly step: Step;
}

type Kept = Pick<Entry, 'filename' | 'size' | 'mediaType' | 'fingerprint'>;
export type KnownFile = Kept & { readonly fingerprint: Fingerprint };

/** The page was reloaded before it was read. */
export class FileLost extends Error {}

const listeners = new Set<() => void>();
const entries = new Map<number, Entry>();
/** Not those of a page that was reloaded: of them only the fingerprints are left. */
const files = new Map<number, File>();
let shown: readonly Entry[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
let stop = new AbortController();
let current: readonly File[] | undefined;

const hashing = limitConcurrency(HASHED_AT_ONCE, Number.POSITIVE_INFINITY, neverRefused);
const lookingUp = limitConcurrency(LOOKED_UP_AT_ONCE, Number.POSITIVE_INFINITY, neverRefused);

function neverRefused(): Error {
  return new Error('Whoever waits without an end is never refused.');
}

export function useFiles(): readonly Entry[] {
  return useSyncExternalStore(subscribe, () => shown);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function show(): void {
  clearTimeout(timer);
  timer = undefined;
  shown = [...entries.values()];
  for (const listener of listeners) listener();
}

function change(id: number, changes: Partial<Entry>): void {
  const entry = entries.get(id);
  if (!entry) return;
  entries.set(id, { ...entry, ...changes });
  timer ??= setTimeout(show, SHOW_EVERY_MS);
}

/** In place of those that were there before; once only, however often people come back to them. */
export function verifyFiles(given: readonly File[], client: RegistryClient): void {
  if (given === current) return;
  forget();
  current = given;
  for (const [id, file] of given.entries()) {
    files.set(id, file);
    const { name: filename, size, type: mediaType } = file;
    entries.set(id, { id, filename, size, mediaType, fingerprint: undefined, step: { name: 'waiting' } });
  }
  show();
  run([...entries.keys()], client);
}

export function stopFiles(): void {
  stop.abort();
}

export function retryFiles(client: RegistryClient): void {
  const left = shown.filter(({ step }) => step.name === 'failed' || step.name === 'stopped').map(({ id }) => id);
  if (stop.signal.aborted) stop = new AbortController();
  run(left, client);
}

function forget(): void {
  stop.abort();
  stop = new AbortController();
  entries.clear();
  files.clear();
}

function run(ids: readonly number[], client: RegistryClient): void {
  const { signal } = stop;
  for (const id of ids) {
    work(id, client, signal).catch((error: unknown) => {
      // Entries that have made way for others have the same numbers.
      if (signal === stop.signal)
        change(id, { step: signal.aborted ? { name: 'stopped' } : { name: 'failed', error } });
    });
  }
}

async function work(id: number, client: RegistryClient, signal: AbortSignal): Promise<void> {
  const entry = entries.get(id);
  if (!entry) return;
  const fingerprint = entry.fingerprint ?? (await hash(id, signal));
  change(id, { fingerprint, step: { name: 'asking' } });
  // The answer about a single file has a page of its own, which asks for itself.
  if (entries.size === 1) return;
  const finding = await lookingUp(() => lookUp(client, fingerprint, signal));
  change(id, { step: { name: 'answered', finding } });
}

async function hash(id: number, signal: AbortSignal): Promise<Fingerprint> {
  change(id, { step: { name: 'waiting' } });
  const hashed = await hashing(async () => {
    const file = files.get(id);
    if (!file) throw new FileLost();
    change(id, { step: { name: 'hashing', bytes: 0 } });
    const onProgress = ({ bytes }: { bytes: number }) => {
      if (!signal.aborted) change(id, { step: { name: 'hashing', bytes } });
    };
    return hashBlob(file, { signal, onProgress });
  });
  signal.throwIfAborted();
  return hashed.fingerprint;
}

/** For this tab, so that a reload loses nothing. Files cannot be kept: those that were not read yet must be chosen again. */
export function keepFiles(): void {
  if (entries.size === 0) return;
  const kept = [...entries.values()].map(({ filename, size, mediaType, fingerprint }) => ({
    filename,
    size,
    mediaType,
    fingerprint,
  }));
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // Blocked or full: then a reload begins anew.
  }
}

/** What an earlier load of this page has kept, if nothing is there yet. */
export function restoreFiles(client: RegistryClient): void {
  if (entries.size > 0) return;
  for (const [id, kept] of readKept().entries()) {
    entries.set(id, { ...kept, fingerprint: kept.fingerprint, id, step: { name: 'waiting' } });
  }
  show();
  run([...entries.keys()], client);
}

/** The file that this is the fingerprint of, if it was given on this page. */
export function fileWith(fingerprint: Fingerprint): KnownFile | undefined {
  const file = (entries.size > 0 ? shown : readKept()).find((known) => known.fingerprint === fingerprint);
  return file && { ...file, fingerprint };
}

function readKept(): Kept[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isKept) : [];
  } catch {
    return [];
  }
}

function isKept(value: unknown): value is Kept {
  if (typeof value !== 'object' || value === null) return false;
  const { filename, size, mediaType, fingerprint }: Partial<Record<keyof Kept, unknown>> = value;
  const isFitting = fingerprint === undefined || (typeof fingerprint === 'string' && isFingerprint(fingerprint));
  return isFitting && typeof filename === 'string' && typeof size === 'number' && typeof mediaType === 'string';
}
