// Waits for an Artifact to reach the chain.

import { type Artifact, type ArtifactStatus, type Fingerprint, MAX_WAIT_SECONDS } from '@provenance-registry/core';
import type { RegistryClient } from './client.js';
import { defaultEnvironment, type Environment } from './environment.js';
import { findRegistration } from './fileRegistration.js';

/** The shortest time between two requests, for services that do not support long polling. */
const POLL_INTERVAL_MS = 2000;

/**
 * Options of {@link waitForStatus}.
 * @example
 * ```ts
 * const options: WaitOptions = { timeoutMs: 60_000, onStatus: (status) => console.log(status) };
 * ```
 */
export interface WaitOptions {
  /** Default: no limit. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with the first status and with each new one. */
  readonly onStatus?: ((status: ArtifactStatus) => void) | undefined;
}

/**
 * Waits until the Artifact is `submitted` or `failed`; by the fingerprint of a signed copy, until the copy is. After
 * `timeoutMs`, returns the Artifact as it is then.
 * @example
 * ```ts
 * const { status, transactionHash } = await waitForStatus(client, fingerprint, { timeoutMs: 60_000 });
 * ```
 */
export function waitForStatus(
  client: Pick<RegistryClient, 'getArtifact'>,
  fingerprint: Fingerprint,
  options: WaitOptions = {},
): Promise<Artifact> {
  return waitForStatusIn(defaultEnvironment, client, fingerprint, options);
}

export async function waitForStatusIn(
  { now, sleep }: Pick<Environment, 'now' | 'sleep'>,
  client: Pick<RegistryClient, 'getArtifact'>,
  fingerprint: Fingerprint,
  { timeoutMs = Number.POSITIVE_INFINITY, signal, onStatus }: WaitOptions,
): Promise<Artifact> {
  const end = now() + timeoutMs;
  const statusOf = (one: Artifact) => findRegistration(one, fingerprint)?.status ?? one.status;
  let artifact = await client.getArtifact({ fingerprint }, { signal });
  onStatus?.(statusOf(artifact));
  while (isInProgress(statusOf(artifact)) && now() < end) {
    const start = now();
    const wait = Math.min(Math.ceil((end - start) / 1000), MAX_WAIT_SECONDS);
    const next = await client.getArtifact({ fingerprint, wait }, { signal });
    if (statusOf(next) !== statusOf(artifact)) onStatus?.(statusOf(next));
    else await sleep(Math.max(0, Math.min(POLL_INTERVAL_MS, end - start) - (now() - start)), signal);
    artifact = next;
  }
  return artifact;
}

function isInProgress(status: ArtifactStatus): boolean {
  return status === 'pending' || status === 'submitting';
}
