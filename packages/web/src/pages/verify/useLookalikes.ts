// Searches for look-alikes of a file by perceptual hashes that are computed on this device: at once if it has no exact match, otherwise
// when the user asks for it.

import { type MissingHashReason, type RegistryClient, searchLookalikes } from '@provenance-registry/client';
import type { Fingerprint, Lookalike } from '@provenance-registry/core';
import { useCallback, useEffect, useState } from 'preact/compat';
import { isLookalikeSearchOn } from '../../lookalikeSwitches.js';
import { useRegistryClient } from '../../registryClient.js';
import { useStore } from '../../store.js';

type SearchResult =
  | { readonly step: 'computing' | 'searching' }
  /** The file has no perceptual hashes. */
  | { readonly step: 'incomparable'; readonly missing: MissingHashReason }
  | { readonly step: 'done'; readonly lookalikes: readonly Lookalike[] }
  | { readonly step: 'failed'; readonly error: unknown };

export type LookalikeSearch = SearchResult | { readonly step: NotSearched };

type NotSearched =
  /** Neither a picture nor a recording. */
  | 'otherKind'
  | 'noContent'
  /** It is not known yet whether there is an exact match. */
  | 'waiting'
  /** That could not be found out. */
  | 'noLookup'
  /** The file is registered, or leads to a registered one. */
  | 'notNeeded'
  /** The user has turned it off. */
  | 'off';

export interface LookalikeState {
  readonly search: LookalikeSearch;
  readonly kind: 'image' | 'audio';
  /** Perceptual hashes of the file have left this device. */
  readonly areHashesSent: boolean;
  /** Searches although it is off or not needed. */
  readonly start: () => void;
  readonly retry: () => void;
}

interface LookalikeSubject {
  readonly content: File | undefined;
  readonly mediaType: string;
  readonly match: 'unknown' | 'failed' | 'none' | 'found';
  readonly fingerprint: Fingerprint;
  /** The registered file that it is or leads to. */
  readonly original: Fingerprint | undefined;
}

export function useLookalikes({ fingerprint, original, ...subject }: LookalikeSubject): LookalikeState {
  const { content, mediaType } = subject;
  const client = useRegistryClient();
  const isOn = useStore(isLookalikeSearchOn);
  const [isAsked, setIsAsked] = useState(false);
  const [areHashesSent, setAreHashesSent] = useState(false);
  const [result, setResult] = useState<SearchResult>({ step: 'computing' });
  const [attempt, setAttempt] = useState(0);
  const notSearched = whyNotSearched(subject, isOn, isAsked);
  const searched = notSearched === undefined ? content : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt searches again
  useEffect(() => {
    if (!searched) return;
    const controller = new AbortController();
    const { signal } = controller;
    const show = (next: SearchResult) => {
      if (!signal.aborted) setResult(next);
    };
    const onSearch = () => {
      setAreHashesSent(true);
      show({ step: 'searching' });
    };
    show({ step: 'computing' });
    findLookalikes(client, { fingerprint, content: searched }, signal, onSearch).then(show, (error: unknown) =>
      show({ step: 'failed', error }),
    );
    return () => controller.abort();
  }, [client, fingerprint, searched, attempt]);
  const retry = useCallback(() => setAttempt((number) => number + 1), []);
  const start = useCallback(() => setIsAsked(true), []);
  const kind = mediaType.startsWith('audio/') ? 'audio' : 'image';
  const search = notSearched === undefined ? withoutKnown(result, [fingerprint, original]) : { step: notSearched };
  return { search, kind, areHashesSent, start, retry };
}

function whyNotSearched(
  { content, mediaType, match }: Pick<LookalikeSubject, 'content' | 'mediaType' | 'match'>,
  isOn: boolean,
  isAsked: boolean,
): NotSearched | undefined {
  if (!/^(image|audio)\//.test(mediaType)) return 'otherKind';
  if (!content) return 'noContent';
  if (match === 'unknown') return 'waiting';
  if (match === 'failed') return 'noLookup';
  if (isAsked) return undefined;
  if (match === 'found') return 'notNeeded';
  return isOn ? undefined : 'off';
}

/** A registered file looks like itself. */
function withoutKnown(result: SearchResult, known: readonly (Fingerprint | undefined)[]): SearchResult {
  if (result.step !== 'done') return result;
  return { step: 'done', lookalikes: result.lookalikes.filter(({ fingerprint }) => !known.includes(fingerprint)) };
}

async function findLookalikes(
  client: RegistryClient,
  { fingerprint, content }: { readonly fingerprint: Fingerprint; readonly content: File },
  signal: AbortSignal,
  onSearch: () => void,
): Promise<SearchResult> {
  const { computePerceptualHashes } = await import('@provenance-registry/client/browser');
  const hashes = await computePerceptualHashes(content, { signal });
  signal.throwIfAborted();
  if (hashes.missing === undefined) onSearch();
  const { lookalikes, missing } = await searchLookalikes(client, { fingerprint, hashes }, { signal });
  return missing === undefined ? { step: 'done', lookalikes } : { step: 'incomparable', missing };
}

export function foundLookalikes({ search }: Pick<LookalikeState, 'search'>): readonly Lookalike[] {
  return search.step === 'done' ? search.lookalikes : [];
}
