// Secrets that are computed when they are needed, and never stored: tokens in the links of mails and invitations and in the
// DNS records of private Marks, and the secrets of webhooks.

import { createHash, createHmac, hkdfSync } from 'node:crypto';
import type { DomainTokens, LinkTokens, WebhookSecrets } from '../domain/ports/index.js';

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

/** Cannot be guessed, and looks as short as an id. */
const DOMAIN_TOKEN_DIGITS = 32;

/** @param secret never changes: with another one, domains would lapse */
export function domainTokens(secret: string): DomainTokens {
  const key = deriveKey(secret, 'domains of private Marks');
  return {
    tokenOf: (markId, domain) =>
      createHmac('sha256', key).update(`${markId} ${domain}`).digest('hex').slice(0, DOMAIN_TOKEN_DIGITS),
  };
}

function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
}
