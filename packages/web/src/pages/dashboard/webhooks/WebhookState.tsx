// Whether a webhook sends events, and why not.

import { WEBHOOK_RETRY_DAYS, type Webhook } from '@provenance-registry/core';
import * as texts from '#texts/events/webhooks';
import { Badge, type BadgeProps } from '../../../ui/feedback/StatusBadge.js';
import { Timestamp } from '../../../ui/text/Timestamp.js';

type State = keyof typeof texts.states;

const badges: Readonly<Record<State, BadgeProps>> = {
  active: { tone: 'good', icon: 'check', label: texts.states.active },
  failing: { tone: 'warn', icon: 'warning', label: texts.states.failing },
  paused: { tone: 'info', icon: 'clock', label: texts.states.paused },
};

function stateOf({ pausedAt, failingSince }: Webhook): State {
  if (pausedAt !== null) return 'paused';
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
  const { pausedAt, pauseReason, failingSince, nextAttemptAt } = webhook;
  if (pausedAt !== null) {
    return (
      <>
        {texts.pausedSince[pauseReason ?? 'requested'](<Timestamp at={pausedAt} />, WEBHOOK_RETRY_DAYS)}{' '}
        {texts.resumeConsequences}
      </>
    );
  }
  if (failingSince === null) return texts.isActive;
  const next = nextAttemptAt === null ? texts.soon : texts.nextAttempt(<Timestamp at={nextAttemptAt} />);
  return texts.failingSince(<Timestamp at={failingSince} />, next, WEBHOOK_RETRY_DAYS);
}
