// Routes of webhooks.

import { api } from '@provenance-registry/core';
import {
  createWebhook,
  deleteWebhook,
  listWebhookDeliveries,
  listWebhooks,
  readWebhook,
  replayWebhook,
  rotateWebhookSecret,
  updateWebhook,
  verifyWebhook,
} from '../../../domain/events/webhooks.js';
import type { Ports } from '../../../domain/ports/index.js';
import type { Router } from '../../router.js';

export function webhookRoutes(route: Router, ports: Ports): void {
  route(api.createWebhook, ({ caller, body }) => createWebhook(ports, caller, body));
  route(api.listWebhooks, async ({ caller, query }) => ({
    webhooks: await listWebhooks(ports, caller, query.organizationId),
  }));
  route(api.getWebhook, ({ caller, params }) => readWebhook(ports, caller, params.webhookId));
  route(api.updateWebhook, ({ caller, params, body }) => updateWebhook(ports, caller, params.webhookId, body));
  route(api.deleteWebhook, ({ caller, params }) => deleteWebhook(ports, caller, params.webhookId));
  route(api.verifyWebhook, ({ caller, params }) => verifyWebhook(ports, caller, params.webhookId));
  route(api.rotateWebhookSecret, ({ caller, params }) => rotateWebhookSecret(ports, caller, params.webhookId));
  route(api.listWebhookDeliveries, ({ caller, params, query }) =>
    listWebhookDeliveries(ports, caller, params.webhookId, query),
  );
  route(api.replayWebhook, ({ caller, params, body }) => replayWebhook(ports, caller, params.webhookId, body.after));
}
