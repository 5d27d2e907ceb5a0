// Checks of the service, the chain and the signed manifest, which this browser runs itself on demand.

import type { Check, Verification } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import { useEffect, useId, useRef, useState } from 'react';
import { useRegistryClient } from '../../registryClient.js';
import { announce } from '../../ui/announcements.js';
import { Button } from '../../ui/Button.js';
import { ErrorNotice } from '../../ui/ErrorNotice.js';
import { Icon, type IconName } from '../../ui/Icon.js';
import { Notice, type Tone } from '../../ui/Notice.js';

type Verdict = Verification['verdict'];

const sources = [
  ['registry', 'Service', 'What the service states publicly.'],
  ['chain', 'Chain', 'Read by your browser from a node of the chain, independently of this service.'],
  ['manifest', 'Signed manifest', 'Its signature, checked in your browser by the C2PA reference implementation.'],
] as const;

const stateDisplay: Readonly<Record<Check['state'], { tone: Tone; icon: IconName; label: string }>> = {
  confirmed: { tone: 'good', icon: 'check', label: 'Confirmed' },
  contradicted: { tone: 'bad', icon: 'cross', label: 'Contradicted' },
  absent: { tone: 'info', icon: 'question', label: 'No entry' },
  unavailable: { tone: 'warn', icon: 'warning', label: 'Unavailable' },
};

const verdictDisplay: Readonly<Record<Verdict, { tone: Tone; text: string }>> = {
  verified: { tone: 'good', text: 'Verified: all available sources agree, independently of this service.' },
  contradicted: { tone: 'bad', text: 'Contradicted: the sources disagree about this file.' },
  unknown: { tone: 'info', text: 'Unknown: no available source has an entry for this file.' },
  incomplete: { tone: 'warn', text: 'Could not check: too few sources are available.' },
};

type Progress =
  | { readonly state: 'idle' }
  | { readonly state: 'checking' }
  | { readonly state: 'checked'; readonly verification: Verification }
  | { readonly state: 'failed'; readonly error: unknown };

interface IndependentChecksProps {
  readonly fingerprint: Fingerprint;
  readonly onVerified: (verification: Verification) => void;
}

export function IndependentChecks({ fingerprint, onVerified }: IndependentChecksProps) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const { progress, start } = useVerification(fingerprint, onVerified);
  const toggle = () => {
    setIsOpen(!isOpen);
    if (progress.state === 'idle') start();
  };
  return (
    <section className="checks stack">
      <div className="row">
        <Button aria-expanded={isOpen} aria-controls={id} onClick={toggle}>
          {isOpen ? 'Hide details' : 'Verify independently'}
        </Button>
        {!isOpen && <span className="quiet">with the chain and the signed manifest</span>}
      </div>
      {/* Rendered while hidden, to keep the results. */}
      <div id={id} hidden={!isOpen}>
        <Results progress={progress} onRetry={start} />
      </div>
    </section>
  );
}

/** Runs on demand, and stops when the component unmounts. */
function useVerification(fingerprint: Fingerprint, onVerified: IndependentChecksProps['onVerified']) {
  const client = useRegistryClient();
  const [progress, setProgress] = useState<Progress>({ state: 'idle' });
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  const start = async () => {
    controller.current = new AbortController();
    const { signal } = controller.current;
    setProgress({ state: 'checking' });
    announce('Checking …');
    try {
      const { verifyFingerprint } = await import('./verifyFingerprint.js');
      const verification = await verifyFingerprint(client, fingerprint, signal);
      setProgress({ state: 'checked', verification });
      onVerified(verification);
      announce(verdictDisplay[verification.verdict].text);
    } catch (error) {
      if (!signal.aborted) setProgress({ state: 'failed', error });
    }
  };
  return { progress, start };
}

function Results({ progress, onRetry }: { readonly progress: Progress; readonly onRetry: () => void }) {
  if (progress.state === 'failed') return <ErrorNotice error={progress.error} onRetry={onRetry} />;
  if (progress.state !== 'checked') {
    return <p className="quiet">Reading the service and the chain, and checking the signature …</p>;
  }
  const { checks, verdict } = progress.verification;
  const isIncomplete = Object.values(checks).some(({ state }) => state === 'unavailable');
  const { tone, text } = verdictDisplay[verdict];
  return (
    <div className="stack">
      <Notice
        tone={tone}
        title={text}
        actions={isIncomplete ? <Button onClick={onRetry}>Check again</Button> : undefined}
      />
      {sources.map(([source, name, description]) => (
        <Source key={source} name={name} description={description} check={checks[source]} />
      ))}
    </div>
  );
}

interface SourceProps {
  readonly name: string;
  readonly description: string;
  readonly check: Check;
}

function Source({ name, description, check }: SourceProps) {
  const { tone, icon, label } = stateDisplay[check.state];
  const details = Object.entries(check.details);
  return (
    <section className={`source tone-${tone}`}>
      <div className="source-head">
        <h3>{name}</h3>
        <span className="badge">
          <Icon name={icon} />
          {label}
        </span>
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
