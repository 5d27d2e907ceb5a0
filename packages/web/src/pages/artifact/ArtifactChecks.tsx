// The checks of the chain and the signed manifest on the Artifact's own page, which start when it is shown. Loaded on demand.

import { isProven, type Verification } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import { useEffect, useRef, useState } from 'preact/compat';
import * as texts from '#texts/artifacts/artifact';
import { onlyService } from '#texts/lookups/verifyResult';
import * as factStyles from '../../ui/facts/Fact.module.css';
import * as basics from '../../ui/layout/basics.module.css';
import { Card } from '../../ui/layout/Card.js';
import { IndependentChecks } from '../verify/IndependentChecks.js';
import { OwnSourcesForm } from '../verify/OwnSourcesForm.js';
import { ProvenFacts, ServiceFacts } from '../verify/VerifiedFacts.js';
import * as styles from './ArtifactChecks.module.css';

interface ArtifactChecksProps {
  readonly fingerprint: Fingerprint;
  /** The visitor has just asked for them. */
  readonly takesFocus: boolean;
}

export function ArtifactChecks({ fingerprint, takesFocus }: ArtifactChecksProps) {
  const region = useRef<HTMLDivElement>(null);
  const [verification, setVerification] = useState<Verification>();
  useEffect(() => {
    // The button that had it is gone.
    if (takesFocus) region.current?.focus();
  }, [takesFocus]);
  return (
    <div ref={region} tabIndex={-1} className={styles.checks}>
      <Card title={texts.checks}>
        <div className={basics.stack}>
          <IndependentChecks
            subject={{ fingerprint, content: undefined, lookupBy: 'fingerprint' }}
            verification={verification}
            onVerified={setVerification}
            startsAtOnce
          />
          {verification && <CheckedFacts verification={verification} />}
          <OwnSourcesForm />
        </div>
      </Card>
    </div>
  );
}

/** What the visitor's sources prove, and apart from it the service's word, unless that is contradicted. */
function CheckedFacts({ verification }: { readonly verification: Verification }) {
  const hasProof = verification.facts.some(isProven);
  return (
    <>
      {hasProof && (
        <dl className={factStyles.facts} aria-label={texts.checkedFacts}>
          <ProvenFacts verification={verification} />
        </dl>
      )}
      {verification.verdict !== 'contradicted' && (
        <section>
          <h3>{onlyService}</h3>
          <dl className={factStyles.facts}>
            <ServiceFacts verification={verification} />
          </dl>
        </section>
      )}
    </>
  );
}
