// Port for the feed: events in an order that never changes for its readers.

import type { EventType, FeedEvent } from '@provenance-registry/core';

/** Whose events are read. An organization's: by its owner, its admin members, its API keys and its webhooks. */
export type FeedReader = { readonly userId: string } | { readonly organizationId: string };

export interface FeedPage {
  /** Oldest first. */
  readonly events: FeedEvent[];
  /** Where to go on: every event up to here that the reader may see was read. */
  readonly next: string;
}

export interface Feed {
  /** `types`: only these; then a page may be empty before the end of the feed. */
  read(
    reader: FeedReader,
    page: { readonly after: string; readonly limit: number; readonly types?: readonly EventType[] | null },
  ): Promise<FeedPage>;
  /** The last position. */
  readEnd(): Promise<string>;
  /**
   * Gives positions to committed events, in one process at a time, and notes them for the webhooks that they may be for.
   * Returns how many got one; 0 also while another process does it.
   */
  order(limit: number): Promise<number>;
}
