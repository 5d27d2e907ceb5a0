// Port for events: what happened, written in the transaction of its cause and never changed.

import type { EventData, EventType, RegistryEvent } from '@provenance-registry/core';

export interface Events {
  /** Throws TIER_RESTRICTION, and writes none, when an actor has caused as many today as one account may. */
  append(...events: readonly NewEvent[]): Promise<void>;
  /** Newest first, starting before the event with the id `before`. Undefined when that is none of the organization's. */
  listOfOrganization(page: {
    organizationId: string;
    limit: number;
    before: string | undefined;
  }): Promise<RegistryEvent[] | undefined>;
}

export interface NewEvent {
  readonly type: EventType;
  /** Undefined: the service itself, or its operator. */
  readonly actorId: string | undefined;
  readonly organizationId?: string | undefined;
  readonly markId?: string | undefined;
  /** The user that it happened to. */
  readonly userId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly data?: EventData | undefined;
  /** False: only in the feed, not in the history of the organization or in the export of the account. */
  readonly isListed?: boolean;
  /** True: never refused, because it follows from what takes access away. */
  readonly isUnlimited?: boolean;
}
