// The webhooks of the user, or of an organization that they own or administer.

import { escapeHidden, MAX_WEBHOOKS, type NewWebhook, type Webhook } from '@provenance-registry/core';
import { useCallback, useState } from 'preact/compat';
import * as texts from '#texts/events/webhooks';
import { navigate, useCurrentUrl, useTitle } from '../../../routing.js';
import { QueryView } from '../../../ui/feedback/query.js';
import { SelectField } from '../../../ui/form/Field.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { useAccount, useAuthedQuery } from '../account.js';
import { ListItem } from '../lists.js';
import * as listsStyles from '../lists.module.css';
import { webhookEvents } from '../live/eventFilters.js';
import { Meter } from '../tierLimits.js';
import { listAdministered } from './administeredOrganizations.js';
import { GUIDE, NewSecretNotice } from './NewSecretNotice.js';
import { WebhookForm, type WebhookSettings } from './WebhookForm.js';
import { WebhookBadge } from './WebhookState.js';

export function WebhooksPage() {
  useTitle(texts.title);
  const account = useAccount();
  const query = useAuthedQuery(useCallback((signal: AbortSignal) => listAdministered(account, signal), [account]));
  const requestedId = useCurrentUrl().searchParams.get('of');
  return (
    <div className={basics.stack}>
      <div>
        <h1>{texts.title}</h1>
        <p className={basics.quiet}>{texts.lead(<a href={GUIDE}>{texts.guide}</a>)}</p>
      </div>
      <QueryView query={query} what={texts.whatIsLoaded}>
        {(organizations) => {
          const organizationId = organizations.find(({ id }) => id === requestedId)?.id;
          return (
            <>
              {organizations.length > 0 && (
                <SelectField
                  label={texts.ownerLabel}
                  options={[{ id: '', name: texts.yourAccount }, ...organizations]}
                  value={organizationId ?? ''}
                  onSelect={(id) => navigate(listAddress(id === '' ? null : id), { replace: true })}
                />
              )}
              <OwnedWebhooks key={organizationId} organizationId={organizationId} />
            </>
          );
        }}
      </QueryView>
    </div>
  );
}

export function listAddress(organizationId: string | null): string {
  return organizationId === null ? '/dashboard/webhooks' : `/dashboard/webhooks?of=${organizationId}`;
}

function OwnedWebhooks({ organizationId }: { readonly organizationId: string | undefined }) {
  const { client } = useAccount();
  const load = useCallback(
    async (signal: AbortSignal) => (await client.listWebhooks({ organizationId }, { signal })).webhooks,
    [client, organizationId],
  );
  const query = useAuthedQuery(load, webhookEvents);
  const [created, setCreated] = useState<NewWebhook>();
  const create = async ({ url, types }: WebhookSettings) => {
    setCreated(await client.createWebhook({ url, organizationId, ...(types && { types }) }));
    query.reload();
  };
  return (
    <>
      {created && <NewSecretNotice key={created.id} webhook={created} onDone={() => setCreated(undefined)} />}
      <QueryView query={query} what={texts.whatIsLoaded}>
        {(webhooks) => (
          <>
            <WebhookList webhooks={webhooks} />
            <Card title={texts.createTitle}>
              <Meter label={texts.count} used={webhooks.length} limit={MAX_WEBHOOKS} />
              {webhooks.length >= MAX_WEBHOOKS ? (
                <p>{texts.isFull}</p>
              ) : (
                <WebhookForm
                  key={created?.id}
                  isOfOrganization={organizationId !== undefined}
                  submit={create}
                  action={texts.create}
                  busyAction={texts.creating}
                />
              )}
            </Card>
          </>
        )}
      </QueryView>
    </>
  );
}

function WebhookList({ webhooks }: { readonly webhooks: readonly Webhook[] }) {
  if (webhooks.length === 0) return <p>{texts.isEmpty}</p>;
  return (
    <ul className={listsStyles.list}>
      {webhooks.map((webhook) => (
        <ListItem key={webhook.id} name={escapeHidden(webhook.url)} to={`/dashboard/webhooks/${webhook.id}`}>
          <span>{webhook.types === null ? texts.allEvents : texts.someEvents(webhook.types.length)}</span>
          <WebhookBadge webhook={webhook} />
        </ListItem>
      ))}
    </ul>
  );
}
