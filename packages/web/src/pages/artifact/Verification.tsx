// The button that checks an Artifact independently, in place. A link with `?verify` starts the checks too.

import type { Fingerprint } from '@provenance-registry/core';
import { lazy, Suspense, useState } from 'preact/compat';
import * as texts from '#texts/lookups/verifyChecks';
import { Button } from '../../ui/form/Button.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Card } from '../../ui/layout/Card.js';

const loadChecks = () => import('./ArtifactChecks.js');
const ArtifactChecks = lazy(async () => ({ default: (await loadChecks()).ArtifactChecks }));

type CheckState = 'none' | 'byLink' | 'byButton';

export function useChecks(): { readonly state: CheckState; readonly start: () => void } {
  const [state, setState] = useState<CheckState>(() =>
    new URLSearchParams(location.search).has('verify') ? 'byLink' : 'none',
  );
  return { state, start: () => setState('byButton') };
}

interface StartChecksProps {
  readonly checks: ReturnType<typeof useChecks>;
  readonly label: string;
  readonly hint?: string;
}

/** Nothing once they have started. */
export function StartChecks({ checks: { state, start }, label, hint }: StartChecksProps) {
  // Prefetched, so that the checks start with the click.
  const prefetch = () => void loadChecks().catch(() => {});
  if (state !== 'none') return null;
  return (
    <p className={`${basics.row} ${basics.noPrint}`}>
      <Button kind="primary" onClick={start} onFocus={prefetch} onMouseEnter={prefetch}>
        {label}
      </Button>
      {hint !== undefined && <span className={basics.quiet}>{hint}</span>}
    </p>
  );
}

interface ChecksProps {
  readonly checks: ReturnType<typeof useChecks>;
  readonly fingerprint: Fingerprint;
}

/** Nothing before they have started. */
export function Checks({ checks: { state }, fingerprint }: ChecksProps) {
  if (state === 'none') return null;
  const placeholder = (
    <Card>
      <p className={basics.quiet} role="status">
        {texts.checking}
      </p>
    </Card>
  );
  return (
    <Suspense fallback={placeholder}>
      <ArtifactChecks fingerprint={fingerprint} takesFocus={state === 'byButton'} />
    </Suspense>
  );
}
