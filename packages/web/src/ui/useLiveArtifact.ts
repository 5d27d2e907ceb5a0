// The status of an Artifact moves by itself: it is followed until the chain has it, for as long as somebody is looking.

import { type RegistryClient, ServiceUnreachableError, waitForStatus } from '@provenance-registry/client';
import type { Artifact, ArtifactStatus } from '@provenance-registry/core';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { readArtifact } from '../publicReads.js';
import { useService } from '../registryClient.js';
import { announce } from './LiveRegion.js';
import { statusLooks } from './StatusBadge.js';

/** After the client has given up, until it is asked again; sooner when the browser says that the network is back. */
const PAUSE_MS = 5_000;

/** What it has become since it was fetched. */
export function useFollowed<T extends Artifact | undefined>(first: T): T | Artifact {
  const service = useService();
  const isVisible = useIsVisible();
  const [latest, setLatest] = useState<{ of: Artifact; artifact: Artifact }>();
  const artifact = latest && latest.of === first ? latest.artifact : first;
  const isFollowed = isVisible && artifact !== undefined && isOnItsWay(artifact);
  useEffect(() => {
    if (!isFollowed || !first) return;
    const stop = new AbortController();
    follow(service, first, (next) => setLatest({ of: first, artifact: next }), stop.signal);
    return () => stop.abort();
  }, [isFollowed, first, service]);
  return artifact;
}

async function follow(
  service: RegistryClient,
  first: Artifact,
  tell: (artifact: Artifact) => void,
  signal: AbortSignal,
): Promise<void> {
  const { fingerprint } = first;
  const getArtifact: RegistryClient['getArtifact'] = (input, options) => readArtifact(service, input, options);
  let { status } = first;
  const show = (next: Artifact) => {
    if (signal.aborted || next.status === status) return;
    status = next.status;
    announce(statusLooks[status].sentence);
    tell(next);
  };
  // At the end there is more to know than the status.
  const onStatus = (next: ArtifactStatus) => isOnItsWay({ status: next }) && show({ ...first, status: next });
  while (!signal.aborted) {
    try {
      return show(await waitForStatus({ getArtifact }, fingerprint, { signal, onStatus }));
    } catch (error) {
      // A refusal stays one; what was last known stands.
      if (!(error instanceof ServiceUnreachableError)) return;
      await networkOrPause(signal);
    }
  }
}

function networkOrPause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(go, PAUSE_MS);
    function go() {
      clearTimeout(timer);
      window.removeEventListener('online', go);
      signal.removeEventListener('abort', go);
      resolve();
    }
    window.addEventListener('online', go);
    signal.addEventListener('abort', go);
  });
}

export function isOnItsWay({ status }: Pick<Artifact, 'status'>): boolean {
  return status === 'pending' || status === 'submitting';
}

function watchVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}

function useIsVisible(): boolean {
  return useSyncExternalStore(watchVisibility, () => document.visibilityState === 'visible');
}
