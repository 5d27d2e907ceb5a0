// Keeps the status of an Artifact up to date until the chain has it, while the page is visible.

import { type RegistryClient, ServiceUnreachableError, waitForStatus } from '@provenance-registry/client';
import type { Artifact, ArtifactStatus } from '@provenance-registry/core';
import { useEffect, useState } from 'preact/compat';
import { readArtifact } from '../../publicReads.js';
import { useRegistryClient } from '../../registryClient.js';
import { createStore, useStore } from '../../store.js';
import { announce } from '../feedback/LiveRegion.js';
import { statusDisplay } from '../feedback/StatusBadge.js';

/** Pause between two attempts; shorter when the browser comes back online. */
const RETRY_DELAY_MS = 5_000;

const pageVisibility = createStore(document.visibilityState);
document.addEventListener('visibilitychange', () => pageVisibility.set(document.visibilityState));

/** The latest state of `loaded`; the same object while nothing has changed. */
export function useLiveArtifact<T extends Artifact | undefined>(loaded: T): T | Artifact {
  const client = useRegistryClient();
  const isVisible = useStore(pageVisibility) === 'visible';
  const [update, setUpdate] = useState<{ loaded: Artifact; latest: Artifact }>();
  const artifact = update && update.loaded === loaded ? update.latest : loaded;
  const isPolling = isVisible && artifact !== undefined && isAwaitingChain(artifact);
  useEffect(() => {
    if (!isPolling || !loaded) return;
    const controller = new AbortController();
    pollStatus(client, loaded, (latest) => setUpdate({ loaded, latest }), controller.signal);
    return () => controller.abort();
  }, [isPolling, loaded, client]);
  return artifact;
}

async function pollStatus(
  client: RegistryClient,
  loaded: Artifact,
  onUpdate: (artifact: Artifact) => void,
  signal: AbortSignal,
): Promise<void> {
  const { fingerprint } = loaded;
  const getArtifact: RegistryClient['getArtifact'] = (input, options) => readArtifact(client, input, options);
  let reported = loaded;
  const report = (latest: Artifact) => {
    if (signal.aborted || joinStatuses(latest) === joinStatuses(reported)) return;
    if (latest.status !== reported.status) announce(statusDisplay[latest.status].sentence);
    reported = latest;
    onUpdate(latest);
  };
  // A final status comes with further fields, such as the transaction: waitForStatus returns the whole Artifact.
  const onStatus = (next: ArtifactStatus) => isInProgress(next) && report({ ...reported, status: next });
  while (!signal.aborted) {
    try {
      const latest = await waitForStatus({ getArtifact }, fingerprint, { signal, onStatus });
      report(latest);
      if (!isAwaitingChain(latest)) return;
    } catch (error) {
      // Any other error is final; the last known status stays.
      if (!(error instanceof ServiceUnreachableError)) return;
    }
    // Until the network is back; or until the signed copies are on chain too, for which the service does not wait.
    await waitForRetry(signal);
  }
}

function joinStatuses({ status, renditions }: Artifact): string {
  return [status, ...renditions.map((rendition) => rendition.status)].join();
}

/** Resolves when the browser comes back online, after RETRY_DELAY_MS, or when aborted. */
function waitForRetry(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(finish, RETRY_DELAY_MS);
    function finish() {
      clearTimeout(timer);
      window.removeEventListener('online', finish);
      signal.removeEventListener('abort', finish);
      resolve();
    }
    window.addEventListener('online', finish);
    signal.addEventListener('abort', finish);
  });
}

/** The Artifact, or a signed copy of it. */
export function isAwaitingChain({ status, renditions }: Artifact): boolean {
  return isInProgress(status) || renditions.some((rendition) => isInProgress(rendition.status));
}

function isInProgress(status: ArtifactStatus): boolean {
  return status === 'pending' || status === 'submitting';
}
