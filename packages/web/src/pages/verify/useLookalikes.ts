// Searches for look-alikes of a file by codes that are computed on this device: at once if it has no exact match, otherwise
// when the user asks for it.

import type { FileCodes, MissingCodes, RegistryClient } from '@provenance-registry/client';
import type { Fingerprint, Lookalike } from '@provenance-registry/core';
import { useCallback, useEffect, useState } from 'preact/compat';
import { isLookalikeSearchOn } from '../../lookalikeSwitches.js';
import { useRegistryClient } from '../../registryClient.js';
import { useStore } from '../../store.js';

type SearchResult =
  | { readonly step: 'computing' | 'searching' }
  /** The file has no codes. */
  | { readonly step: 'incomparable'; readonly missing: MissingCodes }
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
  /** Codes of the file have left this device. */
  readonly areCodesSent: boolean;
  /** Searches although it is off or not needed. */
  readonly start: () => void;
  readonly retry: () => void;
}

interface LookalikeSubject {
  readonly content: File | undefined;
  readonly mediaType: string;
  readonly match: 'unknown' | 'failed' | 'none' | 'found';
  /** Fingerprints of the file itself and the registered one that it leads to. */
  readonly known: readonly (Fingerprint | undefined)[];
}

export function useLookalikes({ content, mediaType, match, known }: LookalikeSubject): LookalikeState {
  const client = useRegistryClient();
  const isOn = useStore(isLookalikeSearchOn);
  const [isAsked, setIsAsked] = useState(false);
  const [areCodesSent, setAreCodesSent] = useState(false);
  const [result, setResult] = useState<SearchResult>({ step: 'computing' });
  const [attempt, setAttempt] = useState(0);
  const notSearched = whyNotSearched({ content, mediaType, match }, isOn, isAsked);
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
      setAreCodesSent(true);
      show({ step: 'searching' });
    };
    show({ step: 'computing' });
    searchLookalikes(client, searched, signal, onSearch).then(show, (error: unknown) =>
      show({ step: 'failed', error }),
    );
    return () => controller.abort();
  }, [client, searched, attempt]);
  const retry = useCallback(() => setAttempt((number) => number + 1), []);
  const start = useCallback(() => setIsAsked(true), []);
  const kind = mediaType.startsWith('audio/') ? 'audio' : 'image';
  const search = notSearched === undefined ? withoutKnown(result, known) : { step: notSearched };
  return { search, kind, areCodesSent, start, retry };
}

function whyNotSearched(
  { content, mediaType, match }: Omit<LookalikeSubject, 'known'>,
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
function withoutKnown(result: SearchResult, known: LookalikeSubject['known']): SearchResult {
  if (result.step !== 'done') return result;
  return { step: 'done', lookalikes: result.lookalikes.filter(({ fingerprint }) => !known.includes(fingerprint)) };
}

async function searchLookalikes(
  client: RegistryClient,
  content: File,
  signal: AbortSignal,
  onSearch: () => void,
): Promise<SearchResult> {
  const { computeCodes } = await import('@provenance-registry/client/browser');
  const codes = await computeCodes(content, { signal });
  const request = toSearchRequest(codes);
  if (!request) return { step: 'incomparable', missing: codes.missing ?? 'unreadable' };
  signal.throwIfAborted();
  onSearch();
  const { lookalikes } = await client.findLookalikes(request, { signal });
  return { step: 'done', lookalikes };
}

function toSearchRequest({
  questions,
  chromaprint,
}: FileCodes): Parameters<RegistryClient['findLookalikes']>[0] | undefined {
  if (questions) return { codes: [...questions] };
  return chromaprint === undefined ? undefined : { chromaprint };
}

export function foundLookalikes({ search }: Pick<LookalikeState, 'search'>): readonly Lookalike[] {
  return search.step === 'done' ? search.lookalikes : [];
}
