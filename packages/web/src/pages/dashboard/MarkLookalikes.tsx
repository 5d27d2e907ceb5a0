// Files that others registered and that look like Artifacts of a Mark.

import type { RegistryClient } from '@provenance-registry/client';
import { useCallback, useEffect, useState } from 'preact/compat';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { ErrorNotice } from '../../ui/ErrorNotice.js';
import { Link } from '../../ui/Link.js';
import { LookalikeView } from '../../ui/Lookalike.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { useAccount } from './account.js';
import type { MarkProps } from './MarkMembers.js';

type MarkLookalikePage = Awaited<ReturnType<RegistryClient['listMarkLookalikes']>>;
type MarkLookalike = MarkLookalikePage['lookalikes'][number];

/** One search goes through so many pages, of which most may be empty. */
const PAGES_PER_SEARCH = 5;
/** A search ends early when it has found so many. */
const ENOUGH = 10;

interface Found {
  readonly lookalikes: readonly MarkLookalike[];
  /** Null when all Artifacts were compared; undefined before the first page. */
  readonly nextCursor: string | null | undefined;
  readonly isSearching: boolean;
  readonly error: unknown;
}

const NOTHING_YET: Found = { lookalikes: [], nextCursor: undefined, isSearching: true, error: undefined };

function useMarkLookalikes(markId: string): { found: Found; search: () => void } {
  const { client } = useAccount();
  const [found, setFound] = useState<Found>(NOTHING_YET);
  const search = useCallback(
    async (from: Pick<Found, 'lookalikes' | 'nextCursor'>, signal: AbortSignal) => {
      let { lookalikes, nextCursor } = from;
      let error: unknown;
      const show = (isSearching: boolean) => {
        if (!signal.aborted) setFound({ lookalikes, nextCursor, isSearching, error });
      };
      const start = lookalikes.length;
      show(true);
      try {
        for (
          let page = 0;
          page < PAGES_PER_SEARCH && nextCursor !== null && lookalikes.length - start < ENOUGH;
          page += 1
        ) {
          const next: MarkLookalikePage = await client.listMarkLookalikes({ markId, cursor: nextCursor }, { signal });
          lookalikes = [...lookalikes, ...next.lookalikes];
          nextCursor = next.nextCursor;
          show(true);
        }
      } catch (thrown) {
        error = thrown;
      }
      show(false);
    },
    [client, markId],
  );
  useEffect(() => {
    const controller = new AbortController();
    void search(NOTHING_YET, controller.signal);
    return () => controller.abort();
  }, [search]);
  return { found, search: () => void search(found, new AbortController().signal) };
}

export function MarkLookalikes({ mark }: Pick<MarkProps, 'mark'>) {
  const { found, search } = useMarkLookalikes(mark.id);
  const { lookalikes, nextCursor, isSearching, error } = found;
  const isComplete = nextCursor === null;
  return (
    <Card title="Look-alikes registered by others">
      <p className="quiet">
        Pictures and recordings of other Marks that look or sound like yours. That is a hint: it does not prove that
        they are the same, or who made them.
      </p>
      <ul className="lookalikes">
        {lookalikes.map((lookalike) => (
          <li key={`${lookalike.artifact.fingerprint} ${lookalike.fingerprint}`}>
            <MarkLookalikeView lookalike={lookalike} />
          </li>
        ))}
      </ul>
      <ErrorNotice error={error} onRetry={search} isBusy={isSearching} />
      {isSearching && (
        <p className="quiet" role="status">
          Comparing your files with those of others …
        </p>
      )}
      {!isSearching && error === undefined && lookalikes.length === 0 && (
        <p>
          {isComplete
            ? 'None found among the files of this Mark that have codes.'
            : 'None found for the newest files of this Mark.'}
        </p>
      )}
      {!isSearching && error === undefined && !isComplete && (
        <Button onClick={search}>Search for older files of this Mark</Button>
      )}
    </Card>
  );
}

function MarkLookalikeView({ lookalike }: { readonly lookalike: MarkLookalike }) {
  const { artifact, fingerprint, registeredAt } = lookalike;
  const isLater = registeredAt > artifact.registeredAt;
  return (
    <LookalikeView
      lookalike={lookalike}
      actions={<Link to={`/dashboard/claims/new?artifact=${fingerprint}`}>Contest this registration</Link>}
    >
      <p>
        Your file:{' '}
        <Link to={`/artifacts/${artifact.fingerprint}`}>
          <bdi>{artifact.filename ?? artifact.fingerprint.slice(0, 10)}</bdi>
        </Link>
        , registered <Timestamp at={artifact.registeredAt} />, {isLater ? 'before' : 'after'} this one.
      </p>
    </LookalikeView>
  );
}
