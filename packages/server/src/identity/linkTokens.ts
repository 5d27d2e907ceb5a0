// Tokens in the links of mails and invitations: an HMAC of what they are for, so that they can be computed again when a mail
// is sent and need not be stored.

import { createHash, createHmac, hkdfSync } from 'node:crypto';
import type { LinkTokens } from '../domain/ports/index.js';

/** @param secret the one of service tokens; links stop working when it changes */
export function linkTokens(secret: string): LinkTokens {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'link tokens', 32));
  return {
    tokenOf: (purpose, id) => createHmac('sha256', key).update(`${purpose}:${id}`).digest('base64url'),
    hash: (token) => createHash('sha256').update(token).digest(),
  };
}
