// The manifest inside a file that the user has chosen, read in the background.

import type { EmbeddedManifest } from '@provenance-registry/client';
import { useCallback, useEffect, useState } from 'preact/compat';
import { useRegistryClient } from '../../registryClient.js';
import { useOwnSources } from './ownSources.js';

export type EmbeddedRead =
  /** There is no file to read. */
  | { readonly step: 'noContent' | 'reading' }
  /** Undefined: the file has none. */
  | { readonly step: 'done'; readonly manifest: EmbeddedManifest | undefined }
  | { readonly step: 'failed'; readonly error: unknown };

export function useEmbeddedManifest(content: File | undefined): { read: EmbeddedRead; retry: () => void } {
  const client = useRegistryClient();
  const own = useOwnSources();
  const [result, setResult] = useState<EmbeddedRead>({ step: 'reading' });
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt reads again
  useEffect(() => {
    if (!content) return;
    const controller = new AbortController();
    const { signal } = controller;
    const read = async (): Promise<EmbeddedRead> => {
      const { readEmbedded } = await import('./verifierChunk.js');
      return { step: 'done', manifest: await readEmbedded(client, content, own, signal) };
    };
    const show = (next: EmbeddedRead) => {
      if (!signal.aborted) setResult(next);
    };
    show({ step: 'reading' });
    read().then(show, (error: unknown) => show({ step: 'failed', error }));
    return () => controller.abort();
  }, [client, content, own, attempt]);
  const retry = useCallback(() => setAttempt((number) => number + 1), []);
  return { read: content ? result : { step: 'noContent' }, retry };
}

/** Undefined when there is none, or it is not known yet. */
export function manifestOf(read: EmbeddedRead): EmbeddedManifest | undefined {
  return read.step === 'done' ? read.manifest : undefined;
}
