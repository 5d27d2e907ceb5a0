// What the AI preferences of a public Mark were before, loaded when the reader asks for it.

import { useCallback, useState } from 'preact/compat';
import * as texts from '#texts/marks/mark';
import { useRegistryClient } from '../../registryClient.js';
import { AiPreferenceLines } from '../../ui/facts/AiPreferenceLines.js';
import { QueryView, useQuery } from '../../ui/feedback/query.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Timestamp } from '../../ui/text/Timestamp.js';
import * as styles from './PreferenceHistory.module.css';

export function PreferenceHistory({ markId }: { readonly markId: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{texts.changes}</summary>
      {isOpen && <Periods markId={markId} />}
    </details>
  );
}

/** The newest ones: more are in the API. */
function Periods({ markId }: { readonly markId: string }) {
  const client = useRegistryClient();
  const load = useCallback(
    (signal: AbortSignal) => client.listMarkPreferences({ markId }, { signal }),
    [client, markId],
  );
  const query = useQuery(load);
  return (
    <QueryView query={query} what={texts.preferences}>
      {({ preferences }) => (
        <ol className={`${basics.list} ${styles.periods}`}>
          {preferences.map(({ since, aiPreferences }) => (
            <li key={since}>
              {texts.since(<Timestamp at={since} />)}
              <AiPreferenceLines preferences={aiPreferences} />
            </li>
          ))}
        </ol>
      )}
    </QueryView>
  );
}
