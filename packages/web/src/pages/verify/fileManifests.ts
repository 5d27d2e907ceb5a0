// The manifests inside those of several files that have no exact match, read a few at a time.

import type { EmbeddedManifest } from '@provenance-registry/client';
import { type Fingerprint, limitConcurrency } from '@provenance-registry/core';
import { useEffect, useRef, useState } from 'preact/compat';
import { useRegistryClient } from '../../registryClient.js';
import { type FileLookup, findFile } from './fileLookups.js';
import { type OwnSources, useOwnSources } from './ownSources.js';

/** Each reads in a worker of its own. */
const MAX_READS = 2;
/** Texts have none. */
const MAY_HAVE_MANIFEST = /^(image|audio|video|application)\//;

const limitReads = limitConcurrency(MAX_READS, Number.POSITIVE_INFINITY, () => new Error('never full'));

type Manifests = ReadonlyMap<Fingerprint, EmbeddedManifest>;

/** Manifests by the fingerprint of the file. Read again when the visitor's own sources change. */
export function useFileManifests(lookups: readonly FileLookup[]): Manifests {
  const client = useRegistryClient();
  const own = useOwnSources();
  const [manifests, setManifests] = useState<Manifests>(new Map());
  const reads = useRef<{ own: OwnSources; controller: AbortController; started: Set<Fingerprint> }>(undefined);
  useEffect(() => {
    if (reads.current?.own !== own) {
      reads.current?.controller.abort();
      reads.current = { own, controller: new AbortController(), started: new Set() };
      setManifests(new Map());
    }
    const { controller, started } = reads.current;
    for (const lookup of lookups) {
      const { fingerprint } = lookup;
      if (!fingerprint || started.has(fingerprint) || !isReadable(lookup)) continue;
      started.add(fingerprint);
      const content = findFile(fingerprint)?.content;
      if (!content) continue;
      const { signal } = controller;
      const read = async () => {
        signal.throwIfAborted();
        const { readEmbedded } = await import('./verifierChunk.js');
        const manifest = await readEmbedded(client, content, own, signal);
        if (manifest && !signal.aborted) setManifests((known) => new Map(known).set(fingerprint, manifest));
      };
      // Opened, the row reads it again and shows the error.
      limitReads(read).catch(() => {});
    }
  }, [client, own, lookups]);
  useEffect(() => () => reads.current?.controller.abort(), []);
  return manifests;
}

/** Whether it has no exact match, and may have a manifest. */
function isReadable({ step, mediaType }: FileLookup): boolean {
  return step.name === 'done' && step.result.match !== 'artifact' && MAY_HAVE_MANIFEST.test(mediaType);
}
