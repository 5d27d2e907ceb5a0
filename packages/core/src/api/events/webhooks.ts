// Webhooks: the service sends the events of a user or an organization to an address of theirs, signed by the convention of
// Standard Webhooks.

import Type, { type Static } from 'typebox';
import { StringEnum } from '../../text/text.js';
import { created, exampleTime, NextCursor, Nullable, noContent, ok, operations, route } from '../declarations.js';
import { exampleIds, Timestamp, Uuid } from '../operation.js';
import { EventType, eventTypes } from './events.js';

/** Number of webhooks that a user or an organization can have. */
export const MAX_WEBHOOKS = 10;
/** How long an event is sent again and again before the webhook is paused. */
export const WEBHOOK_RETRY_DAYS = 3;
/** How long the previous secret signs too. */
export const WEBHOOK_SECRET_OVERLAP_HOURS = 24;

/** Requests with which a URL is asked whether it wants events, after each of which it may take longer to be set up. */
export const WEBHOOK_CHALLENGES = 4;
/** Challenges that one account can have sent to a host in a day (UTC): for ten webhooks, twice. */
export const DAILY_WEBHOOK_CHALLENGES = 80;
/** Events that one account can have sent again to a host in a day (UTC). All are in the feed. */
export const DAILY_REPLAYED_EVENTS = 500;
/** Attempts that are listed of a webhook. */
export const MAX_WEBHOOK_DELIVERIES = 1_000;

export const webhookStatuses = ['unverified', 'active', 'paused'] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];

export const webhookPauseReasons = ['requested', 'failing', 'gone'] as const;
export type WebhookPauseReason = (typeof webhookPauseReasons)[number];

const Url = Type.String({
  maxLength: 1_000,
  pattern: '^https?://',
  description: 'Where events are sent: an https address of the public internet, at port 443 or above 1023.',
});
const Types = Type.Array(EventType, {
  minItems: 1,
  maxItems: eventTypes.length,
  uniqueItems: true,
  description: 'Only events of these types are sent. All by default.',
});

export const Webhook = Type.Object(
  {
    id: Uuid('The webhook.'),
    organizationId: Nullable<string>('string', 'The organization whose events it sends; null: those of the user.'),
    url: Type.String({ description: 'Where events are sent.' }),
    types: Type.Unsafe<EventType[] | null>({
      type: ['array', 'null'],
      items: EventType,
      description: 'The types of events that are sent; null: all.',
    }),
    createdAt: Timestamp('When it was created.'),
    status: StringEnum(webhookStatuses, {
      description: '`unverified`: its URL has not answered the challenge, and no event is sent to it.',
    }),
    verifiedAt: Nullable<string>('string', 'When its URL answered the challenge; null: it has not.'),
    challengeError: Nullable<string>(
      'string',
      'Why its URL did not answer the last challenge; null: it did, or none was sent.',
    ),
    position: Type.String({ description: 'Events up to this position of the feed were delivered, or are not for it.' }),
    failingSince: Nullable<string>('string', 'Since when the next event could not be delivered; null: it could.'),
    nextAttemptAt: Nullable<string>(
      'string',
      'When the next event is sent again; null if the last attempt succeeded. Of an unverified webhook: when the next ' +
        'challenge is sent; null if no further one is.',
    ),
    pausedAt: Nullable<string>('string', 'Since when nothing is sent; null: it is not paused.'),
    pauseReason: Type.Unsafe<WebhookPauseReason | null>({
      type: ['string', 'null'],
      enum: [...webhookPauseReasons, null],
      description: `\`requested\` by a user; \`failing\`: ${WEBHOOK_RETRY_DAYS} days of failed attempts; \`gone\`: the receiver answered with status 410.`,
    }),
    previousSecretUntil: Nullable<string>('string', 'Until when the previous secret signs too.'),
  },
  { title: 'Webhook' },
);
export type Webhook = Static<typeof Webhook>;

const Secret = Type.String({
  description: 'Verifies the signatures, in the form that libraries of Standard Webhooks take. Shown only here.',
});

export const NewWebhook = Type.Object({ ...Webhook.properties, secret: Secret }, { title: 'NewWebhook' });
export type NewWebhook = Static<typeof NewWebhook>;

export const WebhookDelivery = Type.Object(
  {
    id: Type.String(),
    position: Type.String({ description: 'Of the event, in the feed.' }),
    eventId: Type.String({
      description: 'The event; also the end of its `webhook-id`, which is the same at every attempt.',
    }),
    type: EventType,
    attempt: Type.Integer({ description: '1 for the first.' }),
    at: Timestamp('When it was sent.'),
    durationMs: Type.Integer(),
    status: Nullable<number>('integer', 'Of the response; null if there was none.'),
    error: Nullable<string>('string', 'Why it failed; null: delivered.'),
  },
  { title: 'WebhookDelivery' },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

const example: Webhook = {
  id: exampleIds.WEBHOOK_ID,
  organizationId: null,
  url: 'https://studio.example/hooks/provenance',
  types: ['artifact.submitted', 'artifact.failed', 'claim.created'],
  createdAt: exampleTime,
  status: 'active',
  verifiedAt: exampleTime,
  challengeError: null,
  position: '1042',
  failingSince: null,
  nextAttemptAt: null,
  pausedAt: null,
  pauseReason: null,
  previousSecretUntil: null,
};
/** As it was created. */
const exampleUnverified: Webhook = { ...example, status: 'unverified', verifiedAt: null, nextAttemptAt: exampleTime };
const tooManyChallenges =
  `The account has had ${DAILY_WEBHOOK_CHALLENGES} challenges sent to this host today (UTC), or would have with ` +
  `the ${WEBHOOK_CHALLENGES} of this request.`;
/** A secret that no webhook has. */
const exampleSecret = 'whsec_…';

const params = Type.Object({ webhookId: Uuid('The webhook.') });
const NOT_FOUND = 'No such webhook, or it is not one of the caller.';

export const webhookOperations = operations('Webhooks', {
  createWebhook: {
    ...route('POST', '/api/v1/webhooks', 'bearer'),
    summary: 'Create a webhook',
    description:
      'Sends the events of the feed to an address: those that the user may see or, with `organizationId` or an API key, those ' +
      'of the organization. Each is a POST request with the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`, ' +
      'in the order of the feed, until a response with a status from 200 to 299 says that it arrived. An event may arrive more ' +
      'than once, with the same `webhook-id`. Before the first one, the address must answer a challenge, a signed message of ' +
      'the type `webhook.challenge`: with a status from 200 to 299, and with `{"challenge": "…"}`, whose value is that of ' +
      '`data.challenge`, or with that value as plain text. The first event sent is `webhook.created`.',
    body: Type.Object({
      url: Url,
      types: Type.Optional(Types),
      organizationId: Type.Optional(Uuid('The organization. Only for its owner and admin members.')),
    }),
    exampleBody: { url: example.url, types: example.types },
    success: created(
      'The webhook, with its secret.',
      NewWebhook,
      { ...exampleUnverified, secret: exampleSecret },
      '/api/v1/webhooks/{id}',
    ),
    errors: {
      BAD_REQUEST: '`url` is not an address that events are sent to.',
      FORBIDDEN: 'The caller is neither the owner nor an admin member of the organization.',
      API_KEY_ORG_MISMATCH: 'The API key belongs to another organization.',
      NOT_FOUND: 'No such organization, or the caller does not belong to it.',
      TIER_RESTRICTION: 'The organization is frozen.',
      CONFLICT: `There are ${MAX_WEBHOOKS} webhooks already. Or: ${tooManyChallenges}`,
    },
  },
  listWebhooks: {
    ...route('GET', '/api/v1/webhooks', 'bearer'),
    summary: 'List webhooks',
    description: "The user's own or, with `organizationId` or an API key, the organization's. Oldest first.",
    query: Type.Object({ organizationId: Type.Optional(Uuid('The organization.')) }),
    success: ok('The webhooks.', Type.Object({ webhooks: Type.Array(Webhook) }), { webhooks: [example] }),
    errors: {
      FORBIDDEN: 'The caller is neither the owner nor an admin member of the organization.',
      API_KEY_ORG_MISMATCH: 'The API key belongs to another organization.',
      NOT_FOUND: 'No such organization, or the caller does not belong to it.',
    },
  },
  getWebhook: {
    ...route('GET', '/api/v1/webhooks/{webhookId}', 'bearer'),
    summary: 'Get a webhook',
    description: 'With how far it is, and whether deliveries fail.',
    params,
    success: ok('The webhook.', Webhook, example),
    errors: { NOT_FOUND },
  },
  updateWebhook: {
    ...route('PATCH', '/api/v1/webhooks/{webhookId}', 'bearer'),
    summary: 'Update or pause a webhook',
    description:
      'Only the given fields change. A paused webhook keeps its position: when it is resumed, it sends what happened in between. ' +
      'Resuming also sends the next event at once, whatever failed before. Other types count for events that were not sent yet. ' +
      'Another `url` must answer a challenge first; events wait.',
    params,
    body: Type.Object({
      url: Type.Optional(Url),
      types: Type.Optional(
        Type.Unsafe<EventType[] | null>({
          anyOf: [Types, { type: 'null' }],
          description: 'The types of events to send; null: all.',
        }),
      ),
      paused: Type.Optional(Type.Boolean()),
    }),
    exampleBody: { paused: true },
    success: ok('The webhook.', Webhook, {
      ...example,
      status: 'paused',
      pausedAt: exampleTime,
      pauseReason: 'requested',
    }),
    errors: { BAD_REQUEST: '`url` is not an address that events are sent to.', NOT_FOUND, CONFLICT: tooManyChallenges },
  },
  verifyWebhook: {
    ...route('POST', '/api/v1/webhooks/{webhookId}/verify', 'bearer'),
    summary: 'Challenge the URL of a webhook again',
    description:
      `Sends the challenge now and, if it is not answered, ${WEBHOOK_CHALLENGES - 1} times more within a quarter of an hour. ` +
      'For a webhook whose receiver was not ready. Resumes a paused one; changes nothing for one that is verified.',
    params,
    success: ok('The webhook, before its URL has answered.', Webhook, exampleUnverified),
    errors: { NOT_FOUND, CONFLICT: tooManyChallenges },
  },
  rotateWebhookSecret: {
    ...route('POST', '/api/v1/webhooks/{webhookId}/secret', 'bearer'),
    summary: 'Replace the secret of a webhook',
    description: `For ${WEBHOOK_SECRET_OVERLAP_HOURS} hours, requests are signed with the previous secret too.`,
    params,
    success: ok('The webhook, with its new secret.', NewWebhook, {
      ...example,
      previousSecretUntil: '2026-06-02T12:00:00.000Z',
      secret: exampleSecret,
    }),
    errors: { NOT_FOUND },
  },
  listWebhookDeliveries: {
    ...route('GET', '/api/v1/webhooks/{webhookId}/deliveries', 'bearer'),
    summary: 'List the deliveries of a webhook',
    description: `Attempts of the last 30 days, newest first, in pages: the last ${MAX_WEBHOOK_DELIVERIES}.`,
    params,
    query: Type.Object({
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 200, description: 'Deliveries per page; 50 by default.' }),
      ),
      cursor: Type.Optional(
        Type.String({ pattern: '^[0-9]{1,18}$', description: '`nextCursor` of the previous page.' }),
      ),
    }),
    exampleQuery: { limit: '10' },
    success: ok(
      'A page of deliveries.',
      Type.Object({ deliveries: Type.Array(WebhookDelivery), nextCursor: NextCursor }),
      {
        deliveries: [
          {
            id: '77',
            position: '1042',
            eventId: '1043',
            type: 'artifact.submitted',
            attempt: 1,
            at: exampleTime,
            durationMs: 84,
            status: 204,
            error: null,
          },
        ],
        nextCursor: null,
      },
    ),
    errors: { NOT_FOUND },
  },
  replayWebhook: {
    ...route('POST', '/api/v1/webhooks/{webhookId}/replay', 'bearer'),
    summary: 'Send events of a webhook again',
    description:
      'All events after a position, but not from before the webhook was created, in their order and with the same ' +
      '`webhook-id`, then those that follow. Resumes a paused webhook. In a day (UTC), one account can have ' +
      `${DAILY_REPLAYED_EVENTS} events sent again to a host.`,
    params,
    body: Type.Object({
      after: Type.String({ pattern: '^[0-9]{1,18}$', description: 'A position that the webhook has passed.' }),
    }),
    exampleBody: { after: '0' },
    success: ok('The webhook, at its new position.', Webhook, { ...example, position: '986' }),
    errors: {
      BAD_REQUEST: '`after` is beyond what the webhook has sent.',
      NOT_FOUND,
      CONFLICT: 'More events than can be sent again to this host today; the message says how many.',
    },
  },
  deleteWebhook: {
    ...route('DELETE', '/api/v1/webhooks/{webhookId}', 'bearer'),
    summary: 'Delete a webhook',
    description: 'Nothing more is sent, and its deliveries are forgotten.',
    params,
    success: noContent('The webhook is deleted.'),
    errors: { NOT_FOUND },
  },
});
