// Port for what the AI preferences of Marks were when. The database records them itself whenever they change.

import type { StoredAiPreferences } from '@provenance-registry/core';

export interface MarkPreferences {
  /** Newest first, starting before the entry with the id `before`. Undefined when that is none of the Mark's. */
  list(page: {
    markId: string;
    limit: number;
    before: string | undefined;
  }): Promise<StoredPreferencePeriod[] | undefined>;
}

export interface StoredPreferencePeriod extends StoredAiPreferences {
  readonly id: string;
  readonly since: Date;
}
