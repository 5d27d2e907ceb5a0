// Waiting for an Artifact to reach the chain.

import { type Artifact, type ArtifactStatus, type Fingerprint, MAX_WAIT_SECONDS } from '@provenance-registry/core';
import type { RegistryClient } from './client.js';
import { type Surroundings, world } from './environment.js';

/** The specification asks for no more than one look every few seconds: for services that do not wait with us. */
const PAUSE_MS = 2000;

export interface WaitOptions {
  /** Without it, for as long as it takes. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told of the first status and of every other one that follows. */
  readonly onStatus?: ((status: ArtifactStatus) => void) | undefined;
}

/** Until it is `submitted` or `failed`; when the time is over, the Artifact as it was last seen. */
export function waitForStatus(
  client: Pick<RegistryClient, 'getArtifact'>,
  fingerprint: Fingerprint,
  options: WaitOptions = {},
): Promise<Artifact> {
  return waitIn(world, client, fingerprint, options);
}

export async function waitIn(
  { now, sleep }: Pick<Surroundings, 'now' | 'sleep'>,
  client: Pick<RegistryClient, 'getArtifact'>,
  fingerprint: Fingerprint,
  { timeoutMs = Number.POSITIVE_INFINITY, signal, onStatus }: WaitOptions,
): Promise<Artifact> {
  const end = now() + timeoutMs;
  let last = await client.getArtifact({ fingerprint }, { signal });
  onStatus?.(last.status);
  while (isOnItsWay(last) && now() < end) {
    const asked = now();
    const wait = Math.min(Math.ceil((end - asked) / 1000), MAX_WAIT_SECONDS);
    const next = await client.getArtifact({ fingerprint, wait }, { signal });
    if (next.status !== last.status) onStatus?.(next.status);
    else await sleep(Math.max(0, Math.min(PAUSE_MS, end - asked) - (now() - asked)), signal);
    last = next;
  }
  return last;
}

function isOnItsWay({ status }: Artifact): boolean {
  return status === 'pending' || status === 'submitting';
}
