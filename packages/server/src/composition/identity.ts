// What recognizes the users of a service.

import type { Config } from '../config/config.js';
import { createCommonPasswords } from '../identity/commonPasswords.js';
import { domainTokens, linkTokens, recipientTokens, webhookSecrets } from '../identity/derivedSecrets.js';
import { scryptPasswords } from '../identity/passwords.js';
import { bearerTokens } from '../identity/tokens.js';
import { createTotp } from '../identity/totp.js';
import type { Secrets } from './secrets.js';

export function openIdentity({ provider, registryName }: Pick<Config, 'provider' | 'registryName'>, secrets: Secrets) {
  return {
    passwords: scryptPasswords(),
    commonPasswords: createCommonPasswords(),
    totp: createTotp(secrets.secondFactors, registryName),
    tokens: bearerTokens(secrets.tokens, provider),
    linkTokens: linkTokens(secrets.links),
    recipientTokens: recipientTokens(secrets.mailStops),
    domainTokens: domainTokens(secrets.domains),
    webhookSecrets: webhookSecrets(secrets.webhooks),
  };
}
