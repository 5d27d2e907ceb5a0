// Secrets that are computed when they are needed, and never stored: tokens in the links of mails and invitations, and the
// secrets of webhooks.

import { createHash, createHmac, hkdfSync } from 'node:crypto';
import type { LinkTokens, WebhookSecrets } from '../domain/ports/index.js';

/** @param secret the one of service tokens; links stop working when it changes */
export function linkTokens(secret: string): LinkTokens {
  const key = deriveKey(secret, 'link tokens');
  return {
    tokenOf: (purpose, id) => createHmac('sha256', key).update(`${purpose}:${id}`).digest('base64url'),
    hash: (token) => createHash('sha256').update(token).digest(),
  };
}

/** @param secret never changes: with another one, receivers would refuse every signature */
export function webhookSecrets(secret: string): WebhookSecrets {
  const key = deriveKey(secret, 'webhook secrets');
  return {
    secretOf: (webhookId, version) =>
      `whsec_${createHmac('sha256', key).update(`${webhookId}:${version}`).digest('base64')}`,
  };
}

function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
}
