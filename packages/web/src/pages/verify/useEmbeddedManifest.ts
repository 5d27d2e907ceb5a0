// The manifest inside a file that the user has chosen, read in the background.

import type { EmbeddedManifest } from '@provenance-registry/client';
import { useEffect, useState } from 'preact/compat';
import { useRegistryClient } from '../../registryClient.js';
import { useOwnSources } from './ownSources.js';

/** Undefined until it is read, and when there is none. */
export function useEmbeddedManifest(content: File | undefined): EmbeddedManifest | undefined {
  const client = useRegistryClient();
  const own = useOwnSources();
  const [embedded, setEmbedded] = useState<EmbeddedManifest>();
  useEffect(() => {
    if (!content) return;
    const controller = new AbortController();
    const { signal } = controller;
    const read = async () => {
      const { readEmbedded } = await import('./verifyFingerprint.js');
      const manifest = await readEmbedded(client, content, own, signal);
      if (!signal.aborted) setEmbedded(manifest);
    };
    // The file is looked up all the same; verifying it reads the manifest again and shows errors.
    read().catch(() => {});
    return () => controller.abort();
  }, [client, content, own]);
  return embedded;
}
