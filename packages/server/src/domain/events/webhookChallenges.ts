// Challenges: before a webhook sends events to a URL, a response from there has to show that the receiver wants them.

import { randomBytes } from 'node:crypto';
import { DAILY_WEBHOOK_CHALLENGES, RegistryError, WEBHOOK_CHALLENGES } from '@provenance-registry/core';
import type { ChallengeResult, LeasedWebhook, Ports, Store, WebhookChanges, WebhookMessage } from '../ports/index.js';
import { buildSignedMessage } from './webhookMessages.js';

/** Enough that no response contains it by chance. */
const CHALLENGE_BYTES = 24;
/** After each challenge that was not answered: the secret has to be entered at the receiver, which may start again then. */
const RETRY_MS = [5_000, 60_000, 600_000];
/** The receiver says that it wants no events. */
const GONE = 410;

/**
 * What has the URL challenged, now and some times more. Throws CONFLICT when the account has had as many challenges sent to
 * its host today as it may.
 */
export async function startChallenge(
  { clock }: Pick<Ports, 'clock'>,
  store: Store,
  userId: string,
  url: string,
): Promise<WebhookChanges & { readonly challenge: string; readonly challengesLeft: number }> {
  const now = clock();
  const { hostname } = new URL(url);
  const use = { ownerId: userId, subject: `challenges: ${hostname}`, amount: WEBHOOK_CHALLENGES };
  if (!(await store.dailyBudgets.take({ ...use, limit: DAILY_WEBHOOK_CHALLENGES }, now))) {
    throw new RegistryError(
      'CONFLICT',
      `Your account has had ${DAILY_WEBHOOK_CHALLENGES} challenges sent to ${hostname} today, or would have with those of ` +
        'this request. Try again after midnight (UTC).',
    );
  }
  const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
  return {
    challenge,
    challengesLeft: WEBHOOK_CHALLENGES,
    challengeError: null,
    verifiedAt: null,
    isSlow: true,
    runAt: now,
  };
}

export function buildChallenge(
  ports: Pick<Ports, 'webhookSecrets' | 'clock'>,
  webhook: LeasedWebhook & { readonly challenge: string },
): WebhookMessage {
  const { id, challenge } = webhook;
  return buildSignedMessage(ports, webhook, `challenge_${id}`, {
    type: 'webhook.challenge',
    timestamp: ports.clock().toISOString(),
    data: { webhookId: id, challenge },
  });
}

/** Whether a response repeats the challenge. One that only sends back the request does not. */
export function isAnswer(text: string, challenge: string): boolean {
  return text.trim() === challenge || parseAnswer(text) === challenge;
}

function parseAnswer(text: string): unknown {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === 'object' && answer !== null && 'challenge' in answer ? answer.challenge : undefined;
  } catch {
    return undefined;
  }
}

/** When the challenge is sent again; null: not by itself. */
export function planNextChallenge(
  { challengesLeft }: Pick<LeasedWebhook, 'challengesLeft'>,
  { status }: ChallengeResult,
  now: Date,
): Date | null {
  const delayMs = RETRY_MS[WEBHOOK_CHALLENGES - challengesLeft];
  return delayMs === undefined || challengesLeft <= 1 || status === GONE ? null : new Date(now.getTime() + delayMs);
}
