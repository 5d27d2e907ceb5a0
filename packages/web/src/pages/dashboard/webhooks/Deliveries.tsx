// The deliveries of a webhook, newest first, and sending events again.

import { escapeHidden, MAX_WEBHOOK_DELIVERIES, type Webhook, type WebhookDelivery } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import { labels } from '#texts/events/eventTypes';
import * as texts from '#texts/events/webhooks';
import { quoteService } from '../../../errorMessages.js';
import { ErrorNotice } from '../../../ui/feedback/ErrorNotice.js';
import { announce } from '../../../ui/feedback/LiveRegion.js';
import { Badge } from '../../../ui/feedback/StatusBadge.js';
import { Button } from '../../../ui/form/Button.js';
import { ConfirmDialog } from '../../../ui/form/Dialog.js';
import { useAction } from '../../../ui/form/useAction.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { Timestamp } from '../../../ui/text/Timestamp.js';
import { useAccount } from '../account.js';
import { keepOlder } from '../keepOlder.js';
import * as listsStyles from '../lists.module.css';
import * as styles from './Deliveries.module.css';

/** The rest is loaded on demand: most visits are for the latest deliveries. */
export const DELIVERIES_PER_PAGE = 20;

export interface WebhookProps {
  readonly webhook: Webhook;
  /** Loads webhook and deliveries again. */
  readonly onChange: () => void;
}

interface DeliveriesProps extends WebhookProps {
  /** The newest; older pages are loaded here. */
  readonly latest: { readonly deliveries: readonly WebhookDelivery[]; readonly nextCursor: string | null };
  readonly isLoading: boolean;
}

export function Deliveries({ webhook, latest, isLoading, onChange }: DeliveriesProps) {
  const { client } = useAccount();
  const [{ deliveries, nextCursor, after }, setLoaded] = useState({ ...latest, after: latest });
  if (after !== latest) {
    const older = keepOlder(latest.deliveries, deliveries);
    setLoaded({
      deliveries: [...latest.deliveries, ...older],
      nextCursor: older.length > 0 ? nextCursor : latest.nextCursor,
      after: latest,
    });
  }
  const [replayed, setReplayed] = useState<WebhookDelivery>();
  const older = useAction(async () => {
    const cursor = nextCursor ?? undefined;
    const page = await client.listWebhookDeliveries({ webhookId: webhook.id, limit: DELIVERIES_PER_PAGE, cursor });
    setLoaded((loaded) =>
      loaded.after === after ? { ...loaded, ...page, deliveries: [...loaded.deliveries, ...page.deliveries] } : loaded,
    );
  });
  const replay = async (position: string) => {
    await client.replayWebhook({ webhookId: webhook.id, after: String(BigInt(position) - 1n) });
    announce(texts.replayed);
    onChange();
  };
  return (
    <Card title={texts.deliveriesTitle}>
      <div className={basics.row}>
        <p className={basics.quiet}>{texts.deliveriesHint(MAX_WEBHOOK_DELIVERIES)}</p>
        <Button isBusy={isLoading} onClick={onChange}>
          {isLoading ? texts.refreshing : texts.refresh}
        </Button>
      </div>
      {deliveries.length === 0 && <p>{texts.hasNoDeliveries}</p>}
      <ol className={`${listsStyles.list} ${listsStyles.history} ${styles.deliveries}`}>
        {deliveries.map((delivery) => (
          <Delivery key={delivery.id} delivery={delivery} onReplay={() => setReplayed(delivery)} />
        ))}
      </ol>
      <ErrorNotice error={older.error} />
      {nextCursor !== null && (
        <Button isBusy={older.isBusy} onClick={() => older.run()}>
          {older.isBusy ? texts.loading : texts.loadOlder}
        </Button>
      )}
      {replayed && (
        <ConfirmDialog
          title={texts.replayQuestion}
          action={texts.replay}
          work={() => replay(replayed.position)}
          errorMessages={{ CONFLICT: quoteService }}
          onClose={() => setReplayed(undefined)}
        >
          <p>
            {labels[replayed.type]}, <Timestamp at={replayed.at} />
          </p>
          <p>{texts.replayConsequences}</p>
          {webhook.pausedAt !== null && <p>{texts.replayResumes}</p>}
        </ConfirmDialog>
      )}
    </Card>
  );
}

interface DeliveryProps {
  readonly delivery: WebhookDelivery;
  readonly onReplay: () => void;
}

function Delivery({ delivery, onReplay }: DeliveryProps) {
  const { type, at, attempt, durationMs, status, error } = delivery;
  return (
    <li className={listsStyles.item}>
      <span className={listsStyles.name}>{labels[type]}</span>
      {error === null ? (
        <Badge tone="good" icon="check" label={texts.delivered(status)} />
      ) : (
        <Badge tone="bad" icon="cross" label={texts.failed(status)} />
      )}
      <span className={listsStyles.details}>
        <Timestamp at={at} />
        <code>{type}</code>
        <span>{texts.attempt(attempt)}</span>
        <span>{texts.duration(durationMs)}</span>
        {error !== null && (
          <span>
            <bdi>{escapeHidden(error)}</bdi>
          </span>
        )}
      </span>
      <Button kind="quiet" aria-label={texts.replayOf(labels[type])} onClick={onReplay}>
        {texts.replay}
      </Button>
    </li>
  );
}
