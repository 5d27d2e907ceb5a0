// Keeps the files of a list up to date that the chain does not have yet, with few requests: first the oldest, and only when
// that has changed the others.

import type { RegistryClient } from '@provenance-registry/client';
import type { Artifact } from '@provenance-registry/core';
import { useCallback, useEffect, useMemo, useState } from 'preact/compat';
import * as texts from '#texts/files';
import { announce } from '../../../ui/LiveRegion.js';

/** How long the service may hold a request until the status changes. */
const WAIT_SECONDS = 20;
const PAUSE_MS = 3_000;
const PAGE_SIZE = 200;

/** The latest state of those that have changed, by id. */
export function useLiveStatuses(client: RegistryClient, shown: readonly Artifact[]) {
  const [latest, setLatest] = useState<ReadonlyMap<string, Artifact>>(new Map());
  const update = useCallback((artifacts: readonly Artifact[]) => {
    setLatest((last) => new Map([...last, ...artifacts.map((artifact) => [artifact.id, artifact] as const)]));
  }, []);
  const oldest = useMemo(() => findOldestPending(shown, latest), [shown, latest]);
  useEffect(() => {
    if (!oldest) return;
    const controller = new AbortController();
    const { signal } = controller;
    void awaitChanges(client, oldest, signal).then((changed) => {
      if (signal.aborted) return;
      update(changed);
      announce(texts.statusUpdated);
    });
    return () => controller.abort();
  }, [client, oldest, update]);
  return { latest, update };
}

function findOldestPending(shown: readonly Artifact[], latest: ReadonlyMap<string, Artifact>): Artifact | undefined {
  const pending = shown.map((artifact) => latest.get(artifact.id) ?? artifact).filter(isPending);
  return pending.toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1))[0];
}

function isPending({ status }: Artifact): boolean {
  return status === 'pending' || status === 'submitting';
}

/** Until the status of the oldest has changed. Errors are temporary, or end with the session. */
async function awaitChanges(client: RegistryClient, oldest: Artifact, signal: AbortSignal): Promise<Artifact[]> {
  while (!signal.aborted) {
    const isVisible = document.visibilityState === 'visible';
    const changed = isVisible ? await readChanges(client, oldest, signal).catch(() => []) : [];
    if (changed.length > 0) return changed;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return [];
}

/** Empty when the status of the oldest has not changed; otherwise that and the files after it. */
async function readChanges(client: RegistryClient, oldest: Artifact, signal: AbortSignal): Promise<Artifact[]> {
  const { fingerprint, id, status } = oldest;
  const current = await client.getArtifact({ fingerprint, wait: WAIT_SECONDS }, { signal });
  if (current.id === id && current.status === status) return [];
  const query = { from: oldest.createdAt, sort: 'oldest', limit: PAGE_SIZE } as const;
  const { artifacts } = await client.listOwnArtifacts(query, { signal });
  return artifacts.some((artifact) => artifact.id === id && artifact.status !== status) ? artifacts : [];
}
