// Reads of public data: with the session if there is one, anonymously if there is none or it has expired.

import type { RegistryClient } from '@provenance-registry/client';
import type { Artifact, Fingerprint, GalleryMark } from '@provenance-registry/core';
import { hasErrorCode } from './errorMessages.js';

interface Options {
  readonly signal?: AbortSignal | undefined;
}

export function readArtifact(
  client: RegistryClient,
  input: { readonly fingerprint: Fingerprint; readonly wait?: number | undefined },
  options?: Options,
): Promise<Artifact> {
  return withAnonymousFallback(
    client,
    () => client.getArtifact(input, options),
    () => client.getPublicArtifact(input, options),
  );
}

export function readMark(client: RegistryClient, markId: string, options?: Options): Promise<GalleryMark> {
  return withAnonymousFallback<GalleryMark>(
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
  return withAnonymousFallback(
    client,
    () => client.listArtifacts(input, options),
    () => client.listPublicArtifacts(input, options),
  );
}

async function withAnonymousFallback<T>(
  { hasCredential }: RegistryClient,
  readWithSession: () => Promise<T>,
  readAnonymously: () => Promise<T>,
): Promise<T> {
  if (!hasCredential) return readAnonymously();
  try {
    return await readWithSession();
  } catch (error) {
    if (hasErrorCode(error, 'UNAUTHORIZED')) return readAnonymously();
    throw error;
  }
}
