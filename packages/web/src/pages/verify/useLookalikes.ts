// Searches for look-alikes of a file that is not registered, by codes that are computed on this device.

import type { FileCodes, MissingCodes, RegistryClient } from '@provenance-registry/client';
import type { Lookalike } from '@provenance-registry/core';
import { useCallback, useEffect, useState } from 'preact/compat';
import { useRegistryClient } from '../../registryClient.js';

export type LookalikeSearch =
  | { readonly step: 'off' | 'computing' | 'searching' }
  /** The file has no codes. */
  | { readonly step: 'incomparable'; readonly missing: MissingCodes }
  | { readonly step: 'done'; readonly lookalikes: readonly Lookalike[] }
  | { readonly step: 'failed'; readonly error: unknown };

/** @param isOn nothing is computed or sent while it is false */
export function useLookalikes(content: File, isOn: boolean): { search: LookalikeSearch; retry: () => void } {
  const client = useRegistryClient();
  const [search, setSearch] = useState<LookalikeSearch>({ step: 'computing' });
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt searches again
  useEffect(() => {
    if (!isOn) return;
    const controller = new AbortController();
    const { signal } = controller;
    const show = (next: LookalikeSearch) => {
      if (!signal.aborted) setSearch(next);
    };
    show({ step: 'computing' });
    searchLookalikes(client, content, signal, () => show({ step: 'searching' })).then(show, (error: unknown) =>
      show({ step: 'failed', error }),
    );
    return () => controller.abort();
  }, [client, content, isOn, attempt]);
  const retry = useCallback(() => setAttempt((number) => number + 1), []);
  return { search: isOn ? search : { step: 'off' }, retry };
}

async function searchLookalikes(
  client: RegistryClient,
  content: File,
  signal: AbortSignal,
  onSearch: () => void,
): Promise<LookalikeSearch> {
  const { computeCodes } = await import('@provenance-registry/client/browser');
  const codes = await computeCodes(content, { signal });
  const question = toQuestion(codes);
  if (!question) return { step: 'incomparable', missing: codes.missing ?? 'unreadable' };
  onSearch();
  const { lookalikes } = await client.findLookalikes(question, { signal });
  return { step: 'done', lookalikes };
}

function toQuestion({
  questions,
  chromaprint,
}: FileCodes): Parameters<RegistryClient['findLookalikes']>[0] | undefined {
  if (questions) return { codes: [...questions] };
  return chromaprint === undefined ? undefined : { chromaprint };
}
