// Events: who did what and when in an organization.

import Type, { type Static } from 'typebox';
import { StringEnum } from '../text.js';
import { exampleAuthor, exampleMember, exampleTime, NextCursor, NullableReference, ok, route } from './declarations.js';
import { exampleIds, type Operation, Person, Timestamp, Uuid } from './operation.js';

/** By what they are about. Those of accounts appear in the export of the account only. */
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
  'key.created',
  'key.revoked',
  'key.expired',
  'account.password_changed',
  'account.email_changed',
  'account.totp_enabled',
  'account.totp_disabled',
  'account.sessions_ended',
  'account.closed',
] as const;
export type EventType = (typeof eventTypes)[number];

/** Never names or addresses of people, which can be erased. */
export type EventData = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

export const RegistryEvent = Type.Object(
  {
    id: Type.String({ description: 'Ordered: later events have greater numbers.' }),
    at: Timestamp('When it happened.'),
    type: StringEnum(eventTypes, { description: 'What happened.' }),
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

export const listOrganizationEvents = {
  ...route('listOrganizationEvents', 'GET', '/api/v1/organizations/{organizationId}/events', 'bearer'),
  tag: 'Organizations',
  summary: 'List the events of an organization',
  description:
    'Who did what and when: members, invitations, API keys, Marks, usage units and tier. Newest first, in pages. For ' +
    'the owner and admin members.',
  params: Type.Object({ organizationId: Uuid('The organization.') }),
  query: Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Events per page; 50 by default.' })),
    cursor: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$', description: '`nextCursor` of the previous page.' })),
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
} satisfies Operation;
