// Claims that the user has made, and claims to files under Marks that the user is the admin of.

import type { Claim } from '@provenance-registry/core';
import { useCallback, useState } from 'preact/compat';
import * as texts from '#texts/claims/ownClaims';
import { useTitle } from '../../../routing.js';
import { ErrorNotice } from '../../../ui/feedback/ErrorNotice.js';
import { QueryView } from '../../../ui/feedback/query.js';
import { Button } from '../../../ui/form/Button.js';
import { useAction } from '../../../ui/form/useAction.js';
import * as basics from '../../../ui/layout/basics.module.css';
import type { ClaimSide } from '../../claims/ClaimActions.js';
import { ClaimView } from '../../claims/ClaimView.js';
import * as claimViewStyles from '../../claims/ClaimView.module.css';
import { useAccount, useAuthedQuery } from '../account.js';
import { keepOlder } from '../keepOlder.js';
import { claimEvents } from '../live/eventFilters.js';

/** The rest is loaded on demand. */
const CLAIMS_PER_PAGE = 20;

export function ClaimsPage() {
  useTitle(texts.title);
  return (
    <div className={basics.stack}>
      <div>
        <h1>{texts.title}</h1>
        <p className={basics.quiet}>{texts.lead}</p>
      </div>
      <ClaimList title={texts.received} direction="received" side="admin" empty={texts.noneReceived} />
      <ClaimList title={texts.made} direction="made" side="claimant" empty={texts.noneMade} />
    </div>
  );
}

interface ClaimListProps {
  readonly title: string;
  readonly direction: 'made' | 'received';
  readonly side: ClaimSide;
  readonly empty: string;
}

function ClaimList({ title, direction, side, empty }: ClaimListProps) {
  const { client } = useAccount();
  const load = useCallback(
    (signal: AbortSignal) => client.listOwnClaims({ role: direction, limit: CLAIMS_PER_PAGE }, { signal }),
    [client, direction],
  );
  const query = useAuthedQuery(load, claimEvents);
  return (
    <section aria-labelledby={direction}>
      <h2 id={direction}>{title}</h2>
      <QueryView query={query} what={texts.claims}>
        {(first) =>
          first.claims.length === 0 ? <p>{empty}</p> : <Pages first={first} direction={direction} side={side} />
        }
      </QueryView>
    </section>
  );
}

interface PagesProps extends Pick<ClaimListProps, 'direction' | 'side'> {
  readonly first: { readonly claims: readonly Claim[]; readonly nextCursor: string | null };
}

function Pages({ first, direction, side }: PagesProps) {
  const { client } = useAccount();
  const [{ claims, nextCursor, after }, setLoaded] = useState({ ...first, after: first });
  // Loaded again after an event: older claims that are shown stay.
  if (after !== first) {
    const older = keepOlder(first.claims, claims);
    setLoaded({
      claims: [...first.claims, ...older],
      nextCursor: older.length > 0 ? nextCursor : first.nextCursor,
      after: first,
    });
  }
  const { isBusy, error, run } = useAction(async () => {
    const page = await client.listOwnClaims({
      role: direction,
      limit: CLAIMS_PER_PAGE,
      cursor: nextCursor ?? undefined,
    });
    setLoaded((loaded) => ({ ...loaded, ...page, claims: [...loaded.claims, ...page.claims] }));
  });
  const update = (changed: Claim) =>
    setLoaded((loaded) => ({
      ...loaded,
      claims: loaded.claims.map((claim) => (claim.id === changed.id ? changed : claim)),
    }));
  return (
    <>
      <ul className={`${basics.stack} ${basics.list} ${claimViewStyles.list}`}>
        {claims.map((claim) => (
          <li key={claim.id}>
            <ClaimView claim={claim} side={side} showsFile onChanged={update} />
          </li>
        ))}
      </ul>
      <ErrorNotice error={error} />
      {nextCursor !== null && (
        <Button isBusy={isBusy} onClick={() => run()}>
          {isBusy ? texts.loading : texts.loadOlder}
        </Button>
      )}
    </>
  );
}
