// Keeps the status of the files in a list up to date, by the events of their Artifacts.

import type { RegistryClient } from '@provenance-registry/client';
import type { Artifact, FeedEvent } from '@provenance-registry/core';
import { useCallback, useEffect, useRef, useState } from 'preact/compat';
import * as texts from '#texts/artifacts/files';
import { subscribeToEvents } from '../../../eventStream.js';
import { announce } from '../../../ui/feedback/LiveRegion.js';

/** Events that happen together are shown and announced together. */
const COALESCE_MS = 300;
/** An event may come before the page of the list that it changes; longer ago, that page has the new status already. */
const MAX_OUTCOMES = 2_000;
const PAGE_SIZE = 200;

type Outcome = Partial<Pick<Artifact, 'status' | 'transactionHash' | 'errorReason'>>;

/** `shown` are the files in memory. `current` returns the latest state of one. */
export function useLiveStatuses(client: RegistryClient, shown: readonly Artifact[]) {
  const [latest, setLatest] = useState<ReadonlyMap<string, Artifact>>(new Map());
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const update = useCallback((artifacts: readonly Artifact[]) => {
    setLatest((last) => new Map([...last, ...artifacts.map((artifact) => [artifact.id, artifact] as const)]));
  }, []);
  const current = (artifact: Artifact): Artifact => {
    const known = latest.get(artifact.id) ?? artifact;
    const outcome = isPending(known) && outcomes.get(known.fingerprint);
    return outcome ? { ...known, ...outcome } : known;
  };
  const pending = useRef<readonly Artifact[]>([]);
  pending.current = shown.map(current).filter(isPending);

  useEffect(() => {
    const controller = new AbortController();
    const received = new Map<string, Outcome>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const publish = () => {
      timer = undefined;
      setOutcomes(new Map(received));
      if (pending.current.some(({ fingerprint }) => received.has(fingerprint))) announce(texts.statusUpdated);
    };
    const onEvent = (event: FeedEvent) => {
      const fingerprint = event.data?.['fingerprint'];
      if (typeof fingerprint !== 'string' || !event.type.startsWith('artifact.')) return;
      received.delete(fingerprint);
      const outcome = toOutcome(event);
      if (outcome) received.set(fingerprint, outcome);
      for (const oldest of received.keys()) if (received.size > MAX_OUTCOMES) received.delete(oldest);
      timer ??= setTimeout(publish, COALESCE_MS);
    };
    const onOpen = (hasGap: boolean) => {
      if (!hasGap) return;
      // Without it, the status is as old as the page, and the page says that it is not live.
      readStatuses(client, pending.current, controller.signal).then(update, () => {});
    };
    const unsubscribe = subscribeToEvents({ onEvent, onOpen });
    return () => {
      unsubscribe();
      controller.abort();
      clearTimeout(timer);
    };
  }, [client, update]);
  return { current, update };
}

function toOutcome({ type, data }: FeedEvent): Outcome | undefined {
  const [hash, reason] = [data?.['transactionHash'], data?.['reason']];
  if (type === 'artifact.submitted') {
    return { status: 'submitted', ...(typeof hash === 'string' && { transactionHash: hash }) };
  }
  if (type === 'artifact.failed') {
    return { status: 'failed', ...(typeof reason === 'string' && { errorReason: reason }) };
  }
  return undefined;
}

function isPending({ status }: Artifact): boolean {
  return status === 'pending' || status === 'submitting';
}

/** The oldest of them and the files after it. */
async function readStatuses(
  client: RegistryClient,
  pending: readonly Artifact[],
  signal: AbortSignal,
): Promise<readonly Artifact[]> {
  const [from] = pending.map(({ createdAt }) => createdAt).toSorted();
  if (from === undefined) return [];
  return (await client.listOwnArtifacts({ from, sort: 'oldest', limit: PAGE_SIZE }, { signal })).artifacts;
}
