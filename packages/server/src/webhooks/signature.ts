// Signatures by the convention of Standard Webhooks: https://www.standardwebhooks.com

import { createHmac } from 'node:crypto';
import type { WebhookMessage } from '../domain/ports/index.js';

const SECRET_PREFIX = 'whsec_';

/** One signature a secret, so that a receiver accepts the message with either. */
export function signedHeaders({ id, body, secrets }: WebhookMessage, now: Date) {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
