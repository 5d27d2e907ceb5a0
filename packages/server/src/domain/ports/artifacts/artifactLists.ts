// A page of the Artifacts across Marks.

import type { ArtifactSort, ArtifactStatus, Kind } from '@provenance-registry/core';

export interface ArtifactFilters {
  readonly markId?: string | undefined;
  readonly status?: ArtifactStatus | undefined;
  readonly kind?: Kind | undefined;
  /** Part of the filename; upper and lower case are the same. */
  readonly name?: string | undefined;
  /** The first time that is included. */
  readonly from?: Date | undefined;
  /** The first time that is not. */
  readonly to?: Date | undefined;
}

export interface WritableArtifactsPage extends ArtifactFilters {
  /** A user, or the organization that an API key acts for. */
  readonly writer: { readonly userId: string } | { readonly organizationId: string };
  readonly sort: ArtifactSort;
  readonly limit: number;
  readonly after: string | undefined;
}
