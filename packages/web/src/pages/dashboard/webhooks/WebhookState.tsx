// Whether a webhook sends events, and why not.

import { WEBHOOK_RETRY_DAYS, type Webhook } from '@provenance-registry/core';
import * as texts from '#texts/events/webhooks';
import { Badge, type BadgeProps } from '../../../ui/feedback/StatusBadge.js';
import { Timestamp } from '../../../ui/text/Timestamp.js';

type State = keyof typeof texts.states;

const badges: Readonly<Record<State, BadgeProps>> = {
  unverified: { tone: 'warn', icon: 'clock', label: texts.states.unverified },
  active: { tone: 'good', icon: 'check', label: texts.states.active },
  failing: { tone: 'warn', icon: 'warning', label: texts.states.failing },
  paused: { tone: 'info', icon: 'clock', label: texts.states.paused },
};

function stateOf({ status, failingSince }: Webhook): State {
  if (status !== 'active') return status;
  return failingSince === null ? 'active' : 'failing';
}

/** Paused by the service, not by a user. */
export function isPausedByService({ pauseReason }: Webhook): boolean {
  return pauseReason === 'failing' || pauseReason === 'gone';
}

export function WebhookBadge({ webhook }: { readonly webhook: Webhook }) {
  const badge = badges[stateOf(webhook)];
  return <Badge {...badge} {...(isPausedByService(webhook) && { tone: 'bad', icon: 'cross' })} />;
}

export function WebhookSentence({ webhook }: { readonly webhook: Webhook }) {
  const { status, pausedAt, pauseReason, failingSince, nextAttemptAt, challengeError } = webhook;
  if (pausedAt !== null) {
    return (
      <>
        {texts.pausedSince[pauseReason ?? 'requested'](<Timestamp at={pausedAt} />, WEBHOOK_RETRY_DAYS)}{' '}
        {texts.resumeConsequences}
      </>
    );
  }
  if (status === 'unverified') {
    const error = challengeError === null ? undefined : <bdi>{challengeError}</bdi>;
    if (nextAttemptAt === null) return texts.isUnverified(error);
    return texts.isChallenged(error, error && <Timestamp at={nextAttemptAt} />);
  }
  if (failingSince === null) return texts.isActive;
  const next = nextAttemptAt === null ? texts.soon : texts.nextAttempt(<Timestamp at={nextAttemptAt} />);
  return texts.failingSince(<Timestamp at={failingSince} />, next, WEBHOOK_RETRY_DAYS);
}
