// Files that others registered and that look like Artifacts of a Mark.

import type { RegistryClient } from '@provenance-registry/client';
import { useCallback, useEffect, useState } from 'preact/compat';
import * as texts from '#texts/marks/marks';
import { ErrorNotice } from '../../../ui/feedback/ErrorNotice.js';
import { FileName } from '../../../ui/file/FileName.js';
import { Button } from '../../../ui/form/Button.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { LookalikeView } from '../../../ui/lookup/Lookalike.js';
import * as lookalikeStyles from '../../../ui/lookup/Lookalike.module.css';
import { Link } from '../../../ui/text/Link.js';
import { Timestamp } from '../../../ui/text/Timestamp.js';
import { useAccount } from '../account.js';
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
    <Card title={texts.lookalikesTitle}>
      <p className={basics.quiet}>{texts.lookalikesLead}</p>
      <ul className={`${basics.list} ${lookalikeStyles.list}`}>
        {lookalikes.map((lookalike) => (
          <li key={`${lookalike.artifact.fingerprint} ${lookalike.fingerprint}`}>
            <MarkLookalikeView lookalike={lookalike} />
          </li>
        ))}
      </ul>
      <ErrorNotice error={error} onRetry={search} isBusy={isSearching} />
      {isSearching && (
        <p className={basics.quiet} role="status">
          {texts.comparing}
        </p>
      )}
      {!isSearching && error === undefined && lookalikes.length === 0 && (
        <p>{isComplete ? texts.noLookalikes : texts.noLookalikesYet}</p>
      )}
      {!isSearching && error === undefined && !isComplete && <Button onClick={search}>{texts.searchOlder}</Button>}
    </Card>
  );
}

function MarkLookalikeView({ lookalike }: { readonly lookalike: MarkLookalike }) {
  const { artifact, fingerprint, registeredAt } = lookalike;
  const describe = registeredAt > artifact.registeredAt ? texts.registeredBefore : texts.registeredAfter;
  const file = (
    <Link to={`/artifacts/${artifact.fingerprint}`}>
      <FileName name={artifact.filename ?? artifact.fingerprint.slice(0, 10)} />
    </Link>
  );
  return (
    <LookalikeView
      lookalike={lookalike}
      actions={<Link to={`/dashboard/claims/new?artifact=${fingerprint}`}>{texts.contest}</Link>}
    >
      <p>{describe(file, <Timestamp at={artifact.registeredAt} />)}</p>
    </LookalikeView>
  );
}
