// Reads all pages of a list of files.

import type { RegistryClient } from '@provenance-registry/client';
import type { Artifact } from '@provenance-registry/core';
import { type FileFilters, toQuery } from './fileFilters.js';

/** The largest page of the API. */
const PAGE_SIZE = 200;

export type ListClient = Pick<RegistryClient, 'listOwnArtifacts'>;

/** Files that are registered meanwhile may be missing; none comes twice. */
export async function* listAll(
  client: ListClient,
  filters: FileFilters,
  signal: AbortSignal,
): AsyncGenerator<Artifact> {
  let cursor: string | undefined;
  do {
    const query = { ...toQuery(filters), limit: PAGE_SIZE, cursor };
    const { artifacts, nextCursor } = await client.listOwnArtifacts(query, { signal });
    yield* artifacts;
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
}
