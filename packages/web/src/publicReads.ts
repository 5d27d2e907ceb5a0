// Reading what is public, as whoever looks: those who are logged in see what they may, and a session that has ended is no
// reason to see less than a stranger.

import { ApiError, type RegistryClient } from '@provenance-registry/client';
import type { Artifact, Fingerprint, GalleryMark } from '@provenance-registry/core';

interface Options {
  readonly signal?: AbortSignal | undefined;
}

export function readArtifact(
  client: RegistryClient,
  input: { readonly fingerprint: Fingerprint; readonly wait?: number | undefined },
  options?: Options,
): Promise<Artifact> {
  return asWhoeverLooks(
    client,
    () => client.getArtifact(input, options),
    () => client.getPublicArtifact(input, options),
  );
}

export function readMark(client: RegistryClient, markId: string, options?: Options): Promise<GalleryMark> {
  return asWhoeverLooks<GalleryMark>(
    client,
    () => client.getMark({ markId }, options),
    () => client.getPublicMark({ markId }, options),
  );
}

export function readArtifacts(
  client: RegistryClient,
  input: { readonly markId: string; readonly limit: number; readonly cursor: string | undefined },
  options?: Options,
): Promise<{ artifacts: Artifact[]; nextCursor: string | null }> {
  return asWhoeverLooks(
    client,
    () => client.listArtifacts(input, options),
    () => client.listPublicArtifacts(input, options),
  );
}

async function asWhoeverLooks<T>(
  { hasCredential }: RegistryClient,
  asOneself: () => Promise<T>,
  asAnyone: () => Promise<T>,
): Promise<T> {
  if (!hasCredential) return asAnyone();
  try {
    return await asOneself();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return asAnyone();
    throw error;
  }
}
