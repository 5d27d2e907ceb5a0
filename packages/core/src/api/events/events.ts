// Events: who did what and when in an organization, and the feed of all that a caller may see.

import Type, { type Static } from 'typebox';
import { MAX_WAIT_SECONDS } from '../../longPolling.js';
import { StringEnum } from '../../text/text.js';
import {
  exampleAuthor,
  exampleManifestId,
  exampleMember,
  exampleTime,
  NextCursor,
  NullableReference,
  ok,
  operations,
  route,
} from '../declarations.js';
import { exampleIds, Person, Timestamp, Uuid } from '../operation.js';

/** Types of events, by what they are about. Those of accounts are for their user only. */
export const eventTypes = [
  'organization.created',
  'organization.units_changed',
  'organization.tier_changed',
  'organization.frozen',
  'organization.unfrozen',
  'organization.transferred',
  'invitation.created',
  'invitation.accepted',
  'invitation.declined',
  'invitation.withdrawn',
  'invitation.expired',
  'member.role_changed',
  'member.left',
  'member.removed',
  'mark.created',
  'mark.updated',
  'mark.admin_changed',
  'mark.member_left',
  'mark.member_removed',
  'mark.representative_changed',
  'domain.claimed',
  'domain.verified',
  'domain.failing',
  'domain.lapsed',
  'domain.expired',
  'domain.removed',
  'claim.created',
  'claim.answered',
  'claim.withdrawn',
  'claim.conceded',
  'claim.noted',
  'claim.rechecked',
  'artifact.created',
  'artifact.submitted',
  'artifact.failed',
  'rendition.created',
  'rendition.submitted',
  'rendition.failed',
  'lookalike.found',
  'key.created',
  'key.expiring',
  'key.new_address',
  'key.revoked',
  'key.expired',
  'webhook.created',
  'webhook.updated',
  'webhook.paused',
  'webhook.deleted',
  'account.password_changed',
  'account.email_changed',
  'account.totp_enabled',
  'account.totp_disabled',
  'account.sessions_ended',
  'account.closed',
] as const;
export const EventType = StringEnum(eventTypes, { title: 'EventType', description: 'What happened.' });
export type EventType = (typeof eventTypes)[number];

/** Never names or addresses of people, which can be erased. */
export type EventData = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

export const RegistryEvent = Type.Object(
  {
    id: Type.String({ description: 'Ordered: later events have greater numbers.' }),
    at: Timestamp('When it happened.'),
    type: EventType,
    actor: NullableReference(
      Person.properties,
      'The user who did it; null for the service, its operator, and declined invitations.',
    ),
    user: NullableReference(Person.properties, 'The user it happened to.'),
    mark: NullableReference({ id: Uuid('The Mark.'), name: Type.String() }, 'The Mark it is about.'),
    key: NullableReference({ id: Uuid('The API key.'), name: Type.String() }, 'The API key it is about.'),
    data: Type.Unsafe<EventData | null>({
      type: ['object', 'null'],
      additionalProperties: true,
      description: 'Details, by type.',
    }),
  },
  { title: 'Event' },
);
export type RegistryEvent = Static<typeof RegistryEvent>;

const Position = (description: string) => Type.String({ pattern: '^[0-9]{1,18}$', description });

export const FeedEvent = Type.Object(
  {
    position: Position('Its place in the feed. A new event never gets a place below one that was read.'),
    ...RegistryEvent.properties,
    organization: NullableReference(
      { id: Uuid('The organization.'), name: Type.String() },
      'The organization it belongs to.',
    ),
  },
  { title: 'FeedEvent' },
);

/**
 * Something that happened, with its place in the feed.
 * @example
 * ```ts
 * const describe = ({ at, type, mark }: FeedEvent) => `${at} ${type} ${mark?.name ?? ''}`;
 * ```
 */
export type FeedEvent = Static<typeof FeedEvent>;

const exampleFeedEvent: FeedEvent = {
  position: '1042',
  id: '1043',
  at: exampleTime,
  type: 'artifact.submitted',
  actor: null,
  user: null,
  mark: { id: exampleIds.MARK_ID, name: 'Ada Lovelace' },
  key: null,
  data: {
    fingerprint: '0x2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    manifestId: exampleManifestId,
    transactionHash: `0x${'5d'.repeat(32)}`,
  },
  organization: null,
};

const feedQuery = {
  organizationId: Type.Optional(
    Uuid('Only events of this organization. An API key sees those of its organization in any case.'),
  ),
};
const feedErrors = {
  FORBIDDEN: 'The caller is neither the owner nor an admin member of the organization.',
  API_KEY_ORG_MISMATCH: 'The API key belongs to another organization.',
  NOT_FOUND: 'No such organization, or the caller does not belong to it.',
};
const goneError = {
  GONE: 'Events after that position were deleted, because they are older than the service keeps them. Start again without it.',
};
const feedScope =
  'A user sees events of the Marks that they may register under, of the organizations that they own or administer, and of ' +
  'their own account; an API key sees those of its organization.';

export const eventOperations = operations('Events', {
  listEvents: {
    ...route('GET', '/api/v1/events', 'bearer'),
    summary: 'Read the feed of events',
    description:
      `What happened, oldest first. ${feedScope} Start without \`after\`, at the oldest event that is kept, or with a position that you have read, and go on with ` +
      '`next`: nothing is missed and nothing comes twice. With `wait`, the response is sent when there is an event, or after ' +
      'that many seconds.',
    query: Type.Object({
      ...feedQuery,
      after: Type.Optional(
        Position('`next` of an earlier response, or the position of an event; 0, for all that are kept, by default.'),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Events per page; 50 by default.' })),
      wait: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_WAIT_SECONDS, description: 'In seconds.' })),
    }),
    exampleQuery: { after: '1041', limit: '10' },
    success: ok(
      'Events, and where to go on.',
      Type.Object({ events: Type.Array(FeedEvent), next: Position('The `after` of the next request.') }),
      { events: [exampleFeedEvent], next: '1042' },
    ),
    errors: { ...feedErrors, ...goneError, CONFLICT: 'The caller has too many open streams and waiting requests.' },
  },
  streamEvents: {
    ...route('GET', '/api/v1/events/stream', 'bearer'),
    summary: 'Follow the feed of events',
    description:
      `Server-sent events, as they happen. ${feedScope} \`id\` is the position, \`event\` the type, and \`data\` the event as JSON. ` +
      'Without `Last-Event-ID`, the stream starts with the next event; with it, after that position. The service ends a stream ' +
      'from time to time, and when the caller may not read any more: connect again with the last `id`.',
    query: Type.Object(feedQuery),
    headers: Type.Object({
      'last-event-id': Type.Optional(Position('The last `id` that was received, or 0 for all events that are kept.')),
    }),
    success: {
      status: 200,
      description: 'The stream.',
      mediaType: 'text/event-stream',
      schema: Type.String(),
      example: `id: 1042\nevent: artifact.submitted\ndata: ${JSON.stringify(exampleFeedEvent)}\n\n`,
    },
    errors: { ...feedErrors, ...goneError, CONFLICT: 'The caller has too many open streams and waiting requests.' },
  },
});

export const organizationEventOperations = operations('Organizations', {
  listOrganizationEvents: {
    ...route('GET', '/api/v1/organizations/{organizationId}/events', 'bearer'),
    summary: 'List the events of an organization',
    description:
      'Who did what and when: members, invitations, API keys, Marks, usage units and tier. Newest first, in pages. For ' +
      'the owner and admin members.',
    params: Type.Object({ organizationId: Uuid('The organization.') }),
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Events per page; 50 by default.' })),
      cursor: Type.Optional(
        Type.String({ pattern: '^[0-9]{1,18}$', description: '`nextCursor` of the previous page.' }),
      ),
    }),
    exampleQuery: { limit: '10' },
    success: ok('A page of events.', Type.Object({ events: Type.Array(RegistryEvent), nextCursor: NextCursor }), {
      events: [
        {
          id: '42',
          at: exampleTime,
          type: 'invitation.accepted',
          actor: exampleMember,
          user: exampleMember,
          mark: null,
          key: null,
          data: { invitationId: exampleIds.INVITATION_ID },
        },
        {
          id: '41',
          at: exampleTime,
          type: 'invitation.created',
          actor: exampleAuthor,
          user: null,
          mark: null,
          key: null,
          data: { invitationId: exampleIds.INVITATION_ID, isAdmin: false },
        },
      ],
      nextCursor: null,
    }),
    errors: {
      FORBIDDEN: 'The caller is neither the owner nor an admin member.',
      API_KEY_ORG_MISMATCH: 'The API key belongs to another organization.',
      NOT_FOUND: 'No such organization, or the caller does not belong to it.',
    },
  },
});
