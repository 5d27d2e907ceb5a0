// Secrets that are computed when they are needed, and never stored: tokens in the links of mails and invitations and in the
// DNS records of private Marks, and the secrets of webhooks.

import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { mailboxOf } from '@provenance-registry/core';
import type { DomainTokens, LinkTokens, RecipientTokens, WebhookSecrets } from '../domain/ports/index.js';

/** @param secret the one of service tokens; links stop working when it changes */
export function linkTokens(secret: string): LinkTokens {
  const key = deriveKey(secret, 'link tokens');
  return {
    tokenOf: (purpose, id) => createHmac('sha256', key).update(`${purpose}:${id}`).digest('base64url'),
    hash: (token) => createHash('sha256').update(token).digest(),
  };
}

/** 160 bits cannot be guessed, and keep the links short. */
const ADDRESS_HASH_BYTES = 20;
const TOKEN_MAC_BYTES = 16;

/** @param secret never changes: with another one, addresses would get mail that was stopped */
export function recipientTokens(secret: string): RecipientTokens {
  const key = deriveKey(secret, 'recipients of mail');
  const digest = (data: string | Uint8Array) => createHmac('sha256', key).update(data).digest();
  const hash = (email: string) => digest(`address ${mailboxOf(email)}`).subarray(0, ADDRESS_HASH_BYTES);
  // An address has a prefix, a hash of one never: both cannot be the same input but by chance.
  const sign = (addressHash: Uint8Array) => digest(addressHash).subarray(0, TOKEN_MAC_BYTES);
  return {
    hash,
    tokenOf(email) {
      const addressHash = hash(email);
      return Buffer.concat([addressHash, sign(addressHash)]).toString('base64url');
    },
    read(token) {
      const bytes = Buffer.from(token, 'base64url');
      // The decoder skips what is not base64url.
      if (bytes.toString('base64url') !== token || bytes.length !== ADDRESS_HASH_BYTES + TOKEN_MAC_BYTES)
        return undefined;
      const addressHash = bytes.subarray(0, ADDRESS_HASH_BYTES);
      return timingSafeEqual(sign(addressHash), bytes.subarray(ADDRESS_HASH_BYTES)) ? addressHash : undefined;
    },
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
