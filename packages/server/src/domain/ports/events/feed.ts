// Port for the feed: events in an order that never changes for its readers.

import type { EventType, FeedEvent } from '@provenance-registry/core';

/** Whose events are read. An organization's: by its owner, its admin members, its API keys and its webhooks. */
export type FeedReader = { readonly userId: string } | { readonly organizationId: string };

export interface FeedPage {
  /** Oldest first. */
  readonly events: FeedEvent[];
  /** Where to go on: every event up to here that the reader may see was read. */
  readonly next: string;
  /** The last position, when the page was read. */
  readonly end: string;
  /** Events up to this position may have been deleted, when the page was read. */
  readonly start: string;
  /** The user, the organizations and the Marks whose events may be for the reader, or may change what it sees. */
  readonly concernedIds: readonly string[];
}

/** What happened after a position. */
export interface FeedProgress {
  readonly end: string;
  /** The users, organizations and Marks that the events are about. */
  readonly concernedIds: readonly string[];
}

export interface Feed {
  /** `types`: only these; then a page may be empty before the end of the feed. */
  read(
    reader: FeedReader,
    page: { readonly after: string; readonly limit: number; readonly types?: readonly EventType[] | null },
  ): Promise<FeedPage>;
  /** The last position. */
  readEnd(): Promise<string>;
  /** Events up to this position may have been deleted. */
  readStart(): Promise<string>;
  /**
   * Deletes events that are in other lists and older than so many months, among the next `limit` of all; returns how many.
   * Those that only the list of an organization or an account shows are kept.
   */
  deleteOld(months: number, limit: number): Promise<number>;
  readProgress(after: string): Promise<FeedProgress>;
  /** The last position, and how many events have none yet. */
  readBacklog(): Promise<FeedBacklog>;
  /**
   * Gives positions to committed events, in one process at a time, and notes them for the webhooks that they may be for.
   * Returns how many got one; 0 also while another process does it.
   */
  order(limit: number): Promise<number>;
}

export interface FeedBacklog {
  readonly end: number;
  readonly waiting: number;
}

/** Waits for events, with one query for all waiting readers. */
export interface FeedChanges {
  /** Resolves when there may be events for the reader of this page after its `end`, after `waitMs`, or when the signal aborts. */
  waitForEvents(page: Pick<FeedPage, 'end' | 'concernedIds'>, waitMs: number, signal: AbortSignal): Promise<void>;
}
