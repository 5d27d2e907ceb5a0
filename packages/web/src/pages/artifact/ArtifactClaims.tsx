// The claims to an Artifact, and the way to contest it.

import type { Artifact } from '@provenance-registry/core';
import { lazy, Suspense, useCallback } from 'preact/compat';
import * as texts from '#texts/artifacts/artifact';
import { useRegistryClient } from '../../registryClient.js';
import { QueryView, useQuery } from '../../ui/feedback/query.js';
import { buttonClass } from '../../ui/form/Button.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Card } from '../../ui/layout/Card.js';
import { Link } from '../../ui/text/Link.js';
import type { ClaimSide } from '../claims/ClaimActions.js';
import { ClaimView } from '../claims/ClaimView.js';
import * as claimViewStyles from '../claims/ClaimView.module.css';

const ClaimEvents = lazy(async () => ({ default: (await import('./ClaimEvents.js')).ClaimEvents }));

interface ArtifactClaimsProps {
  readonly artifact: Artifact;
  readonly userId: string | undefined;
  /** Loads the Artifact again. */
  readonly onChanged: () => void;
}

export function ArtifactClaims({ artifact, userId, onChanged }: ArtifactClaimsProps) {
  const client = useRegistryClient();
  const { fingerprint, mark } = artifact;
  const load = useCallback(
    (signal: AbortSignal) => client.listArtifactClaims({ fingerprint }, { signal }),
    [client, fingerprint],
  );
  const query = useQuery(load);
  const isAdmin = userId !== undefined && 'admin' in mark && mark.admin.id === userId;
  const sideIn = (claimantId: string): ClaimSide | undefined => {
    if (userId === undefined) return undefined;
    return claimantId === userId ? 'claimant' : isAdmin ? 'admin' : undefined;
  };
  const reload = () => {
    query.reload();
    onChanged();
  };
  return (
    <div id="claims">
      <Card title={texts.claims}>
        <QueryView query={query} what={texts.claimsToLoad}>
          {({ claims }) =>
            claims.length === 0 ? (
              <p className={basics.quiet}>{texts.noClaims}</p>
            ) : (
              <ul className={`${basics.stack} ${basics.list} ${claimViewStyles.list}`}>
                {claims.map((claim) => (
                  <li key={claim.id}>
                    <ClaimView claim={claim} side={sideIn(claim.claimant.id)} onChanged={reload} />
                  </li>
                ))}
              </ul>
            )
          }
        </QueryView>
        {isAdmin && (
          <Suspense fallback={null}>
            <ClaimEvents fingerprint={fingerprint} onChanged={reload} />
          </Suspense>
        )}
        {!isAdmin && (
          <Link to={`/dashboard/claims/new?artifact=${fingerprint}`} className={buttonClass()}>
            {texts.contest}
          </Link>
        )}
      </Card>
    </div>
  );
}
