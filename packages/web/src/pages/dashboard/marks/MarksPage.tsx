// The Marks that the user can register files under.

import { useCallback } from 'preact/compat';
import * as texts from '#texts/marks/marks';
import { navigate, useTitle } from '../../../routing.js';
import { QueryView } from '../../../ui/feedback/query.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { useAccount, useAuthedQuery } from '../account.js';
import { MarkList } from '../lists.js';
import { markEvents } from '../live/eventFilters.js';
import { NewMarkCard } from './NewMarkCard.js';

export function MarksPage() {
  useTitle(texts.title);
  const { client } = useAccount();
  const query = useAuthedQuery(
    useCallback((signal: AbortSignal) => client.listMarks({ signal }), [client]),
    markEvents,
  );
  return (
    <div className={basics.stack}>
      <div>
        <h1>{texts.title}</h1>
        <p className={basics.quiet}>{texts.lead}</p>
      </div>
      <QueryView query={query} what={texts.marks}>
        {(marks) => (marks.length === 0 ? <p>{texts.isEmpty}</p> : <MarkList marks={marks} />)}
      </QueryView>
      <NewMarkCard onCreated={({ id }) => navigate(`/dashboard/marks/${id}`)} />
    </div>
  );
}
