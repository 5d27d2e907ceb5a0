// Asks the URL of a webhook whether it wants events: it has to repeat a challenge.

import type { ChallengeResult, Clock, LeasedWebhook, WebhookMessage, WebhookQueue } from '../domain/ports/index.js';
import { postMessage } from './postMessage.js';
import type { TargetConnection } from './targets.js';

/** Receivers that start for this request have more time than for the response to an event, whose body does not matter. */
const BODY_MS = 5_000;

export type ChallengedWebhook = LeasedWebhook & { readonly challenge: string };

export interface ChallengeParts {
  readonly queue: Pick<WebhookQueue, 'recordChallenge' | 'release'>;
  readonly buildChallenge: (webhook: ChallengedWebhook) => WebhookMessage;
  readonly isAnswer: (text: string, challenge: string) => boolean;
  readonly planNextChallenge: (webhook: LeasedWebhook, result: ChallengeResult) => Date | null;
  readonly clock: Clock;
  readonly log: (level: 'info' | 'warn', details: object, message: string) => void;
}

export async function sendChallenge(
  parts: ChallengeParts,
  webhook: ChallengedWebhook,
  connection: TargetConnection,
  stop: AbortSignal,
): Promise<void> {
  const { queue, clock } = parts;
  const message = parts.buildChallenge(webhook);
  const { status, error, text } = await postMessage(connection, message, { at: clock(), stop, bodyMs: BODY_MS });
  const { position } = webhook;
  if (stop.aborted && error !== null) return queue.release(webhook, { from: position, to: position, now: clock() });
  const isAnswered = error === null && parts.isAnswer(text, webhook.challenge);
  const result = { status, error: isAnswered ? null : (error ?? 'The response does not repeat the challenge.') };
  const nextAt = isAnswered ? null : parts.planNextChallenge(webhook, result);
  if (!(await queue.recordChallenge(webhook, { error: result.error, nextAt, now: clock() }))) return;
  // Not the path, which may be secret.
  const about = { webhookId: webhook.id, host: new URL(webhook.url).host, status };
  if (isAnswered) parts.log('info', about, 'webhook: verified');
  else parts.log('info', { ...about, reason: result.error }, 'webhook: the challenge was not answered');
}
