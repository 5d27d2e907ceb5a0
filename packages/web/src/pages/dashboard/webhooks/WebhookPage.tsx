// One webhook: its state, settings, secret and deliveries.

import { escapeHidden, type NewWebhook, WEBHOOK_SECRET_OVERLAP_HOURS, type Webhook } from '@provenance-registry/core';
import { useCallback, useEffect, useState } from 'preact/compat';
import * as texts from '#texts/events/webhooks';
import { quoteService } from '../../../errorMessages.js';
import { navigate, useTitle } from '../../../routing.js';
import { ErrorNotice } from '../../../ui/feedback/ErrorNotice.js';
import { showFlash } from '../../../ui/feedback/FlashNotice.js';
import { announce } from '../../../ui/feedback/LiveRegion.js';
import { QueryView } from '../../../ui/feedback/query.js';
import { Button } from '../../../ui/form/Button.js';
import { ConfirmDialog } from '../../../ui/form/Dialog.js';
import { useAction } from '../../../ui/form/useAction.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { Link } from '../../../ui/text/Link.js';
import { Timestamp } from '../../../ui/text/Timestamp.js';
import { useAccount, useAuthedQuery } from '../account.js';
import { webhookEvents } from '../live/eventFilters.js';
import { DELIVERIES_PER_PAGE, Deliveries, type WebhookProps } from './Deliveries.js';
import { NewSecretNotice } from './NewSecretNotice.js';
import { WebhookForm, type WebhookSettings } from './WebhookForm.js';
import { WebhookBadge, WebhookSentence } from './WebhookState.js';
import { listAddress } from './WebhooksPage.js';

/** The answer to a challenge usually comes within a second. */
const CHALLENGE_POLL_MS = 2_000;

export function WebhookPage({ webhookId }: { readonly webhookId: string }) {
  useTitle(texts.title);
  const { client } = useAccount();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const [webhook, deliveries] = await Promise.all([
        client.getWebhook({ webhookId }, { signal }),
        client.listWebhookDeliveries({ webhookId, limit: DELIVERIES_PER_PAGE }, { signal }),
      ]);
      return { webhook, deliveries };
    },
    [client, webhookId],
  );
  const query = useAuthedQuery(load, webhookEvents);
  const [created, setCreated] = useState<NewWebhook>();
  const onRotated = (webhook: NewWebhook) => {
    setCreated(webhook);
    query.reload();
  };
  return (
    <QueryView query={query} what={texts.whatIsLoaded}>
      {({ webhook, deliveries }) => (
        <div className={basics.stack}>
          <div>
            <h1>
              <bdi>{escapeHidden(webhook.url)}</bdi>
            </h1>
            <p>
              <Link to={listAddress(webhook.organizationId)}>{texts.showAll}</Link>
            </p>
          </div>
          {created && <NewSecretNotice webhook={created} onDone={() => setCreated(undefined)} />}
          <State webhook={webhook} onChange={query.reload} />
          <Deliveries webhook={webhook} latest={deliveries} isLoading={query.isLoading} onChange={query.reload} />
          <Settings webhook={webhook} onChange={query.reload} />
          <Secret webhook={webhook} onRotated={onRotated} />
          <Deletion webhook={webhook} />
        </div>
      )}
    </QueryView>
  );
}

function State({ webhook, onChange }: WebhookProps) {
  const { client } = useAccount();
  const isPaused = webhook.pausedAt !== null;
  const { isBusy, error, run } = useAction(async () => {
    await client.updateWebhook({ webhookId: webhook.id, paused: !isPaused });
    announce(isPaused ? texts.resumed : texts.paused);
    onChange();
  });
  const challenge = useAction(async () => {
    await client.verifyWebhook({ webhookId: webhook.id });
    announce(texts.challenged);
    onChange();
  });
  const isUnverified = webhook.status === 'unverified';
  useEffect(() => {
    // No event tells of the result.
    const timer = isUnverified && webhook.nextAttemptAt !== null ? setInterval(onChange, CHALLENGE_POLL_MS) : undefined;
    return () => clearInterval(timer);
  }, [isUnverified, webhook.nextAttemptAt, onChange]);
  return (
    <div>
      <p>
        <WebhookBadge webhook={webhook} /> <WebhookSentence webhook={webhook} />
      </p>
      <ErrorNotice error={error ?? challenge.error} messages={{ CONFLICT: quoteService }} />
      {isUnverified && (
        <>
          <Button isBusy={challenge.isBusy} onClick={() => challenge.run()}>
            {texts.challenge}
          </Button>{' '}
        </>
      )}
      <Button isBusy={isBusy} onClick={() => run()}>
        {isPaused ? texts.resume : texts.pause}
      </Button>
    </div>
  );
}

function Settings({ webhook, onChange }: WebhookProps) {
  const { client } = useAccount();
  const save = async (settings: WebhookSettings) => {
    await client.updateWebhook({ webhookId: webhook.id, ...settings });
    onChange();
  };
  return (
    <Card title={texts.editTitle}>
      <WebhookForm
        webhook={webhook}
        isOfOrganization={webhook.organizationId !== null}
        submit={save}
        action={texts.save}
        busyAction={texts.saving}
        doneMessage={texts.saved}
      />
    </Card>
  );
}

interface SecretProps {
  readonly webhook: Webhook;
  readonly onRotated: (webhook: NewWebhook) => void;
}

function Secret({ webhook: { id: webhookId, previousSecretUntil }, onRotated }: SecretProps) {
  const { client } = useAccount();
  const [isAsking, setIsAsking] = useState(false);
  return (
    <Card title={texts.secretTitle}>
      <p>{texts.secretText}</p>
      {previousSecretUntil !== null && <p>{texts.bothSign(<Timestamp at={previousSecretUntil} />)}</p>}
      <Button onClick={() => setIsAsking(true)}>{texts.rotate}</Button>
      {isAsking && (
        <ConfirmDialog
          title={texts.rotateQuestion}
          action={texts.rotate}
          work={async () => onRotated(await client.rotateWebhookSecret({ webhookId }))}
          onClose={() => setIsAsking(false)}
        >
          <p>{texts.rotateConsequences(WEBHOOK_SECRET_OVERLAP_HOURS)}</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

function Deletion({ webhook: { id: webhookId, organizationId } }: { readonly webhook: Webhook }) {
  const { client } = useAccount();
  const [isAsking, setIsAsking] = useState(false);
  const remove = async () => {
    await client.deleteWebhook({ webhookId });
    navigate(listAddress(organizationId));
    showFlash(texts.deleted);
  };
  return (
    <Card title={texts.deleteTitle}>
      <Button onClick={() => setIsAsking(true)}>{texts.deleteWebhook}</Button>
      {isAsking && (
        <ConfirmDialog
          title={texts.deleteQuestion}
          action={texts.deleteWebhook}
          work={remove}
          onClose={() => setIsAsking(false)}
        >
          <p>{texts.deleteConsequences}</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}
