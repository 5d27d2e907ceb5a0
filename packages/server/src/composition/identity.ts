// The secrets of a service, and what recognizes its users.

import { join } from 'node:path';
import type { Config } from '../config/config.js';
import { createCommonPasswords } from '../identity/commonPasswords.js';
import { domainTokens, linkTokens, recipientTokens, webhookSecrets } from '../identity/derivedSecrets.js';
import { scryptPasswords } from '../identity/passwords.js';
import { bearerTokens } from '../identity/tokens.js';
import { createTotp } from '../identity/totp.js';
import { readOrCreateSecret } from '../secretFile.js';

interface Secrets {
  /** Signs sessions and links. */
  readonly tokens: string;
  /** Hides the ids of users in what is published. */
  readonly pseudonyms: string;
}

export async function readSecrets({ jwtSecret, pseudonymSecret, dataDir }: Config): Promise<Secrets> {
  return {
    tokens: jwtSecret ?? (await readOrCreateSecret(join(dataDir, 'jwt-secret'))),
    pseudonyms: pseudonymSecret ?? (await readOrCreateSecret(join(dataDir, 'pseudonym-secret'))),
  };
}

export function openIdentity({ provider, registryName }: Config, { tokens, pseudonyms }: Secrets) {
  return {
    passwords: scryptPasswords(),
    commonPasswords: createCommonPasswords(),
    totp: createTotp(pseudonyms, registryName),
    tokens: bearerTokens(tokens, provider),
    linkTokens: linkTokens(tokens),
    recipientTokens: recipientTokens(pseudonyms),
    domainTokens: domainTokens(pseudonyms),
    webhookSecrets: webhookSecrets(pseudonyms),
  };
}
