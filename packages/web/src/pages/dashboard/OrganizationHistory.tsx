// The history of an organization: its events, newest first.

import type { RegistryEvent } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import * as texts from '#texts/events';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { ErrorNotice } from '../../ui/ErrorNotice.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { useAction } from '../../ui/useAction.js';
import { useAccount } from './account.js';
import { EventSentence } from './EventSentence.js';
import { keepOlder } from './keepOlder.js';

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
      <p className="quiet">{texts.historyHint}</p>
      <ol className="list history">
        {pages
          .flatMap(({ events }) => events)
          .map((event) => (
            <li key={event.id} className="list-item">
              <span>
                <EventSentence event={event} />
              </span>
              <span className="list-details">
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
