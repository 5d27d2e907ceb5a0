// The checks of the chain and the signed manifest on the Artifact's own page, which start when it is shown. Loaded on demand.

import type { FileVerification } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import { useEffect, useRef, useState } from 'preact/compat';
import * as texts from '#texts/artifact';
import { Card } from '../../ui/Card.js';
import { IndependentChecks } from '../verify/IndependentChecks.js';
import { OwnSourcesForm } from '../verify/OwnSourcesForm.js';
import { ProvenFacts } from '../verify/VerifiedFacts.js';
import '../verify/results.css';

interface ArtifactChecksProps {
  readonly fingerprint: Fingerprint;
  /** The visitor has just asked for them. */
  readonly takesFocus: boolean;
}

export function ArtifactChecks({ fingerprint, takesFocus }: ArtifactChecksProps) {
  const region = useRef<HTMLDivElement>(null);
  const [verification, setVerification] = useState<FileVerification>();
  useEffect(() => {
    // The button that had it is gone.
    if (takesFocus) region.current?.focus();
  }, [takesFocus]);
  return (
    <div ref={region} tabIndex={-1} className="artifact-checks">
      <Card title={texts.checks}>
        <div className="stack">
          <IndependentChecks
            subject={{ fingerprint, content: undefined, lookup: 'fingerprint' }}
            verification={verification}
            onVerified={setVerification}
            startsAtOnce
          />
          {verification && (
            <dl className="facts" aria-label={texts.checkedFacts}>
              <ProvenFacts verification={verification} />
            </dl>
          )}
          <OwnSourcesForm />
        </div>
      </Card>
    </div>
  );
}
