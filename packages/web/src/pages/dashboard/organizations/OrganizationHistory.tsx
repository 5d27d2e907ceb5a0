// The history of an organization: its events, newest first.

import type { RegistryEvent } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import * as texts from '#texts/events/events';
import { ErrorNotice } from '../../../ui/feedback/ErrorNotice.js';
import { Button } from '../../../ui/form/Button.js';
import { useAction } from '../../../ui/form/useAction.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { Timestamp } from '../../../ui/text/Timestamp.js';
import { useAccount } from '../account.js';
import { keepOlder } from '../keepOlder.js';
import * as listsStyles from '../lists.module.css';
import { EventSentence } from './EventSentence.js';

/** The rest is loaded on demand: most visits are for the latest events. */
export const EVENTS_PER_PAGE = 20;

export interface EventPage {
  readonly events: readonly RegistryEvent[];
  readonly nextCursor: string | null;
}

interface OrganizationHistoryProps {
  readonly organizationId: string;
  /** The newest events; older pages are loaded here. */
  readonly latest: EventPage;
}

export function OrganizationHistory({ organizationId, latest }: OrganizationHistoryProps) {
  const { client } = useAccount();
  const [{ pages, after }, setLoaded] = useState({ pages: [latest], after: latest });
  if (after !== latest) {
    const older = keepOlder(
      latest.events,
      pages.flatMap(({ events }) => events),
    );
    const rest = { events: older, nextCursor: pages.at(-1)?.nextCursor ?? null };
    setLoaded({ pages: older.length > 0 ? [latest, rest] : [latest], after: latest });
  }
  const cursor = pages.at(-1)?.nextCursor;
  const { isBusy, error, run } = useAction(async () => {
    if (typeof cursor !== 'string') return;
    const page = await client.listOrganizationEvents({ organizationId, limit: EVENTS_PER_PAGE, cursor });
    setLoaded((loaded) => (loaded.after === after ? { ...loaded, pages: [...loaded.pages, page] } : loaded));
  });
  return (
    <Card title={texts.historyTitle}>
      <p className={basics.quiet}>{texts.historyHint}</p>
      <ol className={`${listsStyles.list} ${listsStyles.history}`}>
        {pages
          .flatMap(({ events }) => events)
          .map((event) => (
            <li key={event.id} className={listsStyles.item}>
              <span>
                <EventSentence event={event} />
              </span>
              <span className={listsStyles.details}>
                <Timestamp at={event.at} />
              </span>
            </li>
          ))}
      </ol>
      <ErrorNotice error={error} />
      {typeof cursor === 'string' && (
        <Button isBusy={isBusy} onClick={() => run()}>
          {isBusy ? texts.isLoading : texts.loadOlder}
        </Button>
      )}
    </Card>
  );
}
