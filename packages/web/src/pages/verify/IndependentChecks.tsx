// Checks of the service, the chain and the signed manifest, which this browser runs itself on demand.

import type { Check, Verification } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import { useEffect, useId, useRef, useState } from 'react';
import { useRegistryClient } from '../../registryClient.js';
import { Button } from '../../ui/Button.js';
import { ErrorNotice } from '../../ui/ErrorNotice.js';
import { announce } from '../../ui/LiveRegion.js';
import { Notice, type Tone } from '../../ui/Notice.js';
import { Badge, type BadgeProps } from '../../ui/StatusBadge.js';
import { useAction } from '../../ui/useAction.js';

const sources = [
  ['registry', 'Service', 'What the service states publicly.'],
  ['chain', 'Chain', 'Read by your browser from a node of the chain, independently of this service.'],
  ['manifest', 'Signed manifest', 'Its signature, checked in your browser by the C2PA reference implementation.'],
] as const;

const stateDisplay: Readonly<Record<Check['state'], BadgeProps>> = {
  confirmed: { tone: 'good', icon: 'check', label: 'Confirmed' },
  contradicted: { tone: 'bad', icon: 'cross', label: 'Contradicted' },
  absent: { tone: 'info', icon: 'question', label: 'No entry' },
  unavailable: { tone: 'warn', icon: 'warning', label: 'Unavailable' },
};

const verdictDisplay: Readonly<Record<Verification['verdict'], { tone: Tone; text: string }>> = {
  verified: { tone: 'good', text: 'Verified: all available sources agree, independently of this service.' },
  consistent: { tone: 'info', text: 'Consistent: all sources agree, but all of them come from this service.' },
  contradicted: { tone: 'bad', text: 'Contradicted: the sources disagree about this file.' },
  unknown: { tone: 'info', text: 'Unknown: no available source has an entry for this file.' },
  incomplete: { tone: 'warn', text: 'Could not check: too few sources are available.' },
};

interface IndependentChecksProps {
  readonly fingerprint: Fingerprint;
  /** Undefined until the checks have run. */
  readonly verification: Verification | undefined;
  readonly onVerified: (verification: Verification) => void;
}

export function IndependentChecks({ fingerprint, verification, onVerified }: IndependentChecksProps) {
  const id = useId();
  const client = useRegistryClient();
  const [isOpen, setIsOpen] = useState(false);
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  const { isBusy, error, run } = useAction(async () => {
    controller.current = new AbortController();
    announce('Checking …');
    const { verifyFingerprint } = await import('./verifyFingerprint.js');
    const verified = await verifyFingerprint(client, fingerprint, controller.current.signal);
    onVerified(verified);
    announce(verdictDisplay[verified.verdict].text);
  });
  const toggle = () => {
    setIsOpen(!isOpen);
    if (verification === undefined && error === undefined) void run();
  };
  return (
    <section className="checks stack">
      <div className="row">
        <Button aria-expanded={isOpen} aria-controls={id} onClick={toggle}>
          {isOpen ? 'Hide details' : 'Verify independently'}
        </Button>
        {!isOpen && <span className="quiet">with the chain and the signed manifest</span>}
      </div>
      <div id={id} hidden={!isOpen}>
        <ErrorNotice error={error} onRetry={run} />
        {isBusy && <p className="quiet">Reading the service and the chain, and checking the signature …</p>}
        {!isBusy && error === undefined && verification && <Results verification={verification} onRetry={run} />}
      </div>
    </section>
  );
}

function Results({ verification, onRetry }: { readonly verification: Verification; readonly onRetry: () => void }) {
  const { checks, verdict } = verification;
  const isIncomplete = Object.values(checks).some(({ state }) => state === 'unavailable');
  const { tone, text } = verdictDisplay[verdict];
  const retry = isIncomplete ? <Button onClick={onRetry}>Check again</Button> : undefined;
  return (
    <div className="stack">
      <Notice tone={tone} title={text} actions={retry} />
      {sources.map(([source, name, description]) => (
        <Source key={source} name={name} description={description} check={checks[source]} />
      ))}
    </div>
  );
}

function Source({ name, description, check }: { name: string; description: string; check: Check }) {
  const details = Object.entries(check.details);
  return (
    <section className={`source tone-${stateDisplay[check.state].tone}`}>
      <div className="source-head">
        <h3>{name}</h3>
        <Badge {...stateDisplay[check.state]} />
      </div>
      <p className="quiet">{description}</p>
      {check.reason !== undefined && <p className="source-reason">{check.reason}</p>}
      <p>{check.proves}</p>
      {details.length > 0 && (
        <details>
          <summary>Raw data</summary>
          <dl className="raw">
            {details.map(([key, value]) => (
              <div key={key}>
                <dt>{key}</dt>
                <dd>
                  <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </section>
  );
}
