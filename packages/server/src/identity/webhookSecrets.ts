// Secrets of webhooks: computed from the id of the webhook and a version, and never stored.

import { createHmac, hkdfSync } from 'node:crypto';
import type { WebhookSecrets } from '../domain/ports/index.js';

/** @param secret never changes: with another one, receivers would refuse every signature */
export function webhookSecrets(secret: string): WebhookSecrets {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'webhook secrets', 32));
  return {
    secretOf: (webhookId, version) =>
      `whsec_${createHmac('sha256', key).update(`${webhookId}:${version}`).digest('base64')}`,
  };
}
