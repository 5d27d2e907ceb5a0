// Reads of public data: with the session if there is one, anonymously if there is none or it has expired.

import type { RegistryClient } from '@provenance-registry/client';
import type { GalleryMark } from '@provenance-registry/core';
import { hasErrorCode } from './errorMessages.js';

export function readArtifact(client: RegistryClient, ...call: Parameters<RegistryClient['getArtifact']>) {
  return withAnonymousFallback(
    client,
    () => client.getArtifact(...call),
    () => client.getPublicArtifact(...call),
  );
}

export function readMark(client: RegistryClient, ...call: Parameters<RegistryClient['getMark']>) {
  return withAnonymousFallback<GalleryMark>(
    client,
    () => client.getMark(...call),
    () => client.getPublicMark(...call),
  );
}

export function readArtifacts(client: RegistryClient, ...call: Parameters<RegistryClient['listArtifacts']>) {
  return withAnonymousFallback(
    client,
    () => client.listArtifacts(...call),
    () => client.listPublicArtifacts(...call),
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
