// Texts of webhooks and their deliveries.

import type { WebhookPauseReason } from '@provenance-registry/core';
import type { ReactNode } from 'preact/compat';
import { formatNumber, pluralize } from '../../../ui/text/format.js';

export const title = 'Webhooks';
export const lead = (guide: ReactNode) => (
  <>A webhook sends what happens to a server of yours, as it happens, in signed requests. {guide}</>
);
export const guide = 'How to receive them';
export const ownerLabel = 'Events of';
export const yourAccount = 'Your account';
export const whatIsLoaded = 'webhooks';
export const isEmpty = 'No webhooks yet.';
export const allEvents = 'All events';
export const someEvents = (count: number) => pluralize(count, 'type of event', 'types of events');
export const showAll = 'All webhooks';

export const createTitle = 'New webhook';
export const count = 'Webhooks';
export const isFull = 'Delete a webhook to create another one.';
export const create = 'Create webhook';
export const creating = 'Creating …';
export const urlLabel = 'Address';
export const urlHint = 'Where your server receives events: an https address that can be reached from the internet.';
export const noUrl = 'Enter an address.';
export const invalidUrl = 'Enter a whole address, such as https://example.org/hooks.';
export const eventsLabel = 'Events';
export const allHint = 'Also types that are added later.';
export const chosenEvents = 'Only these';
export const chosenHint = 'Choose the types below.';
export const noTypes = 'Choose at least one type of event.';
export const chosenOf = (label: string, chosen: number, all: number) =>
  `${label}: ${formatNumber(chosen)} of ${formatNumber(all)}`;

export const newSecretTitle = 'The signing secret of this webhook';
export const newSecretHint = 'Save it on your server now. It cannot be shown again.';
export const verifyHint = (guideLink: ReactNode) => (
  <>
    Your server verifies each request with it, and rejects those that do not come from here. Any Standard Webhooks
    library takes this secret as it is. {guideLink}
  </>
);
export const verifyGuide = 'Verify requests';
export const challengeHint =
  'Before the first event, your server has to answer a challenge, which shows that it wants them.';
export const secret = 'secret';
export const hasSaved = 'I have saved it';

export const states = { unverified: 'Unverified', active: 'Active', failing: 'Failing', paused: 'Paused' };
export const isActive = 'Events are sent as they happen.';
/** `next` is undefined before the first challenge. */
export const isChallenged = (error: ReactNode, next: ReactNode) => (
  <>
    No event is sent before your server has answered a challenge.{' '}
    {error ? <>It did not: {error} </> : 'The challenge is being sent.'}
    {next ? <>The challenge is sent again on {next}.</> : null}
  </>
);
export const isUnverified = (error: ReactNode) => (
  <>
    No event is sent before your server has answered a challenge. {error ? <>It did not: {error} </> : null}
    No further challenge is sent by itself.
  </>
);
export const challenge = 'Send the challenge again';
export const challenged = 'The challenge is sent again.';
export const failingSince = (since: ReactNode, next: ReactNode, days: number) => (
  <>
    Your server has not accepted an event since {since}. It is sent again {next}, and later events after it. After{' '}
    {days} days of failed attempts, the webhook is paused.
  </>
);
export const nextAttempt = (time: ReactNode) => <>on {time}</>;
export const soon = 'soon';
export const pausedSince: Readonly<Record<WebhookPauseReason, (time: ReactNode, days: number) => ReactNode>> = {
  requested: (time) => <>Paused since {time}. Nothing is sent.</>,
  failing: (time, days) => (
    <>
      Paused since {time}, because your server did not accept an event for {days} days. Nothing is sent.
    </>
  ),
  gone: (time) => (
    <>Paused since {time}, because your server answered with status 410, which means gone. Nothing is sent.</>
  ),
};
export const resumeConsequences = 'When you resume it, it first sends what happened in between.';
export const bothSign = (until: ReactNode) => <>Requests are signed with the previous secret too until {until}.</>;

export const pause = 'Pause';
export const resume = 'Resume';
export const paused = 'The webhook is paused.';
export const resumed = 'The webhook is active.';

export const editTitle = 'Settings';
export const save = 'Save';
export const saving = 'Saving …';
export const saved = 'Saved.';

export const secretTitle = 'Signing secret';
export const secretText = 'The secret was shown when it was created. If it was lost or disclosed, replace it.';
export const rotate = 'Replace secret';
export const rotateQuestion = 'Replace the signing secret?';
export const rotateConsequences = (hours: number) =>
  `For ${hours} hours, requests are signed with both secrets, so that none is rejected while you change it on your server. After that, only the new one is used.`;

export const deleteTitle = 'Delete';
export const deleteWebhook = 'Delete webhook';
export const deleteQuestion = 'Delete this webhook?';
export const deleteConsequences = 'Nothing more is sent, and its deliveries are forgotten. This cannot be undone.';
export const deleted = 'The webhook was deleted.';

export const deliveriesTitle = 'Deliveries';
export const deliveriesHint = (max: number) =>
  `Attempts of the last 30 days, at most ${formatNumber(max)}, newest first.`;
export const hasNoDeliveries = 'Nothing was sent yet.';
export const refresh = 'Refresh';
export const refreshing = 'Refreshing …';
export const loadOlder = 'Load older';
export const loading = 'Loading …';
export const attempt = (number: number) => `Attempt ${formatNumber(number)}`;
export const duration = (milliseconds: number) =>
  milliseconds < 1000 ? `${formatNumber(milliseconds)} ms` : `${formatNumber(Math.round(milliseconds / 100) / 10)} s`;
export const delivered = (status: number | null) => (status === null ? 'Delivered' : `Delivered (${status})`);
export const failed = (status: number | null) => (status === null ? 'No response' : `Failed (${status})`);

export const replay = 'Send again from here';
export const replayOf = (event: string) => `Send again from here: ${event}`;
export const replayQuestion = 'Send again from here?';
export const replayConsequences =
  'This event and all that follow it are sent again, in their order, also those that were delivered. They have the same webhook-id as before, by which your server can tell them from new ones.';
export const replayResumes = 'This also resumes the webhook.';
export const replayed = 'Events are sent again.';

export const pausedNotice = (webhook: ReactNode) => <>The webhook {webhook} was paused by the service.</>;
export const pausedNoticeOf = (webhook: ReactNode, organization: ReactNode) => (
  <>
    The webhook {webhook} of {organization} was paused by the service.
  </>
);
