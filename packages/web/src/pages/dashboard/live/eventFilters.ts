// Which events change what the pages show.

import type { EventType, FeedEvent } from '@provenance-registry/core';
import { useMemo } from 'preact/compat';

type Subject = EventType extends `${infer Name}.${string}` ? Name : never;

export interface EventFilter {
  /** What the events are about; undefined: anything. */
  readonly subjects?: readonly Subject[];
  readonly organizationId?: string;
  readonly markId?: string;
}

export const accountEvents: EventFilter = { subjects: ['account', 'organization', 'member', 'invitation'] };
export const overviewEvents: EventFilter = { subjects: ['mark', 'domain', 'member', 'organization', 'artifact'] };
export const markEvents: EventFilter = { subjects: ['mark', 'domain', 'member', 'organization', 'invitation'] };
export const invitationEvents: EventFilter = { subjects: ['invitation', 'member'] };
export const organizationEvents: EventFilter = { subjects: ['organization', 'member'] };
export const claimEvents: EventFilter = { subjects: ['claim'] };
export const keyEvents: EventFilter = { subjects: ['key'] };
export const sessionEvents: EventFilter = { subjects: ['account'] };
export const webhookEvents: EventFilter = { subjects: ['webhook'] };

/** What the settings of a Mark show. */
export function useMarkEvents(markId: string): EventFilter {
  return useMemo(() => ({ markId, subjects: ['mark', 'domain', 'invitation'] }), [markId]);
}

/** The page of an organization counts and lists almost everything. */
export function useOrganizationEvents(organizationId: string): EventFilter {
  return useMemo(() => ({ organizationId }), [organizationId]);
}

export function matchesFilter(event: FeedEvent, { subjects, organizationId, markId }: EventFilter): boolean {
  if (organizationId !== undefined && event.organization?.id !== organizationId) return false;
  if (markId !== undefined && event.mark?.id !== markId) return false;
  return subjects === undefined || subjects.some((subject) => event.type.startsWith(`${subject}.`));
}
