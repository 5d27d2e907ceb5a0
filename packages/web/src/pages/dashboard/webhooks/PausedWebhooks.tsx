// Notices about webhooks that the service has paused.

import { escapeHidden } from '@provenance-registry/core';
import { useCallback } from 'preact/compat';
import * as texts from '#texts/events/webhooks';
import { Notice } from '../../../ui/feedback/Notice.js';
import { Link } from '../../../ui/text/Link.js';
import { useAccount, useAuthedQuery } from '../account.js';
import { webhookEvents } from '../live/eventFilters.js';
import { listAdministered } from './administeredOrganizations.js';
import { isPausedByService } from './WebhookState.js';

/** Nothing while all are active, or paused by users. */
export function PausedWebhooks() {
  const account = useAccount();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const organizations = await listAdministered(account, signal);
      const lists = [undefined, ...organizations].map(async (organization) => {
        const { webhooks } = await account.client.listWebhooks({ organizationId: organization?.id }, { signal });
        return webhooks.filter(isPausedByService).map(({ id, url }) => ({ id, url, organization }));
      });
      return (await Promise.all(lists)).flat();
    },
    [account],
  );
  // The overview says itself when the service does not respond.
  const { value: paused = [] } = useAuthedQuery(load, webhookEvents);
  return paused.map(({ id, url, organization }) => {
    const link = (
      <Link to={`/dashboard/webhooks/${id}`}>
        <bdi>{escapeHidden(url)}</bdi>
      </Link>
    );
    return (
      <Notice key={id} tone="warn">
        <p>{organization ? texts.pausedNoticeOf(link, <bdi>{organization.name}</bdi>) : texts.pausedNotice(link)}</p>
      </Notice>
    );
  });
}
