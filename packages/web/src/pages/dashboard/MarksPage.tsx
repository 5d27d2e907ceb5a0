// The Marks that the user can register files under.

import { useCallback } from 'preact/compat';
import { navigate, useTitle } from '../../routing.js';
import { QueryView } from '../../ui/query.js';
import { useAccount, useAuthedQuery } from './account.js';
import { MarkList } from './lists.js';
import { NewMarkCard } from './NewMarkCard.js';

export function MarksPage() {
  useTitle('Marks');
  const { client } = useAccount();
  const query = useAuthedQuery(useCallback((signal: AbortSignal) => client.listMarks({ signal }), [client]));
  return (
    <div className="stack">
      <div>
        <h1>Marks</h1>
        <p className="quiet">
          A Mark is the identity that files are registered under. It states who made them, under which license, and
          whether AI models may be trained with them.
        </p>
      </div>
      <QueryView query={query} what="Marks">
        {(marks) => (marks.length === 0 ? <p>You have no Marks yet.</p> : <MarkList marks={marks} />)}
      </QueryView>
      <NewMarkCard onCreated={({ id }) => navigate(`/dashboard/marks/${id}`)} />
    </div>
  );
}
