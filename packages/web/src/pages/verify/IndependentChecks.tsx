// Details on demand: the service, the chain and the signed manifest, each asked by this browser itself.

import type { Check, Verification } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import { useEffect, useId, useRef, useState } from 'react';
import { useService } from '../../registryClient.js';
import { Button } from '../../ui/Button.js';
import { Icon, type IconName } from '../../ui/Icon.js';
import { announce } from '../../ui/LiveRegion.js';
import { Notice, type Tone } from '../../ui/Notice.js';
import { Failure } from '../../ui/QueryView.js';

type Verdict = Verification['verdict'];
type State = Check['state'];

const sources = [
  ['registry', 'The service', 'What it answers to anyone who asks.'],
  ['chain', 'The chain', 'Read by this browser from a node of the chain, past the service.'],
  [
    'manifest',
    'The signed manifest',
    'Its signature, checked in this browser by the reference implementation of C2PA.',
  ],
] as const;

const states: Readonly<Record<State, { tone: Tone; icon: IconName; word: string }>> = {
  confirmed: { tone: 'good', icon: 'check', word: 'Confirms it' },
  contradicted: { tone: 'bad', icon: 'cross', word: 'Contradicted' },
  absent: { tone: 'info', icon: 'question', word: 'Has nothing' },
  unavailable: { tone: 'warn', icon: 'warning', word: 'Could not be asked' },
};

const verdicts: Readonly<Record<Verdict, { tone: Tone; text: string }>> = {
  verified: { tone: 'good', text: 'Verified: what could be asked agrees, and not only the service says so.' },
  contradicted: { tone: 'bad', text: 'Contradicted: what is said about this file cannot all be true.' },
  unknown: { tone: 'info', text: 'Unknown: nobody who could be asked has anything about this file.' },
  incomplete: { tone: 'warn', text: 'Not found out: too little could be asked to say yes or no.' },
};

type Progress =
  | { readonly state: 'unasked' }
  | { readonly state: 'checking' }
  | { readonly state: 'checked'; readonly found: Verification }
  | { readonly state: 'failed'; readonly error: unknown };

interface ChecksProps {
  readonly fingerprint: Fingerprint;
  readonly onChecked: (found: Verification) => void;
}

export function Checks({ fingerprint, onChecked }: ChecksProps) {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const { progress, start } = useCheck(fingerprint, onChecked);
  const toggle = () => {
    setIsOpen(!isOpen);
    if (progress.state === 'unasked') start();
  };
  return (
    <section className="checks stack">
      <div className="row">
        <Button aria-expanded={isOpen} aria-controls={id} onClick={toggle}>
          {isOpen ? 'Hide the details' : 'Check it yourself'}
        </Button>
        {!isOpen && <span className="quiet">by the chain and the signed manifest, past this service</span>}
      </div>
      {/* Kept when it is hidden: what was found stays so. */}
      <div id={id} hidden={!isOpen}>
        <Results progress={progress} onRetry={start} />
      </div>
    </section>
  );
}

/** Starts when somebody wants it, and stops when nobody looks any more. */
function useCheck(fingerprint: Fingerprint, onChecked: ChecksProps['onChecked']) {
  const service = useService();
  const [progress, setProgress] = useState<Progress>({ state: 'unasked' });
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const start = async () => {
    stop.current = new AbortController();
    const { signal } = stop.current;
    setProgress({ state: 'checking' });
    announce('Checking …');
    try {
      // The chain's code and nine megabytes of verifier, for those who want them.
      const { check } = await import('./verifyFingerprint.js');
      const found = await check(service, fingerprint, signal);
      setProgress({ state: 'checked', found });
      onChecked(found);
      announce(verdicts[found.verdict].text);
    } catch (error) {
      if (!signal.aborted) setProgress({ state: 'failed', error });
    }
  };
  return { progress, start };
}

function Results({ progress, onRetry }: { readonly progress: Progress; readonly onRetry: () => void }) {
  if (progress.state === 'failed') return <Failure error={progress.error} onRetry={onRetry} />;
  if (progress.state !== 'checked') {
    return <p className="checks-wait quiet">Asking the service and the chain, and checking the signature …</p>;
  }
  const { checks, verdict } = progress.found;
  const isLacking = Object.values(checks).some(({ state }) => state === 'unavailable');
  return (
    <div className="stack">
      <Notice
        tone={verdicts[verdict].tone}
        title={verdicts[verdict].text}
        actions={isLacking ? <Button onClick={onRetry}>Ask again</Button> : undefined}
      />
      {sources.map(([source, name, how]) => (
        <Source key={source} name={name} how={how} check={checks[source]} />
      ))}
    </div>
  );
}

interface SourceProps {
  readonly name: string;
  readonly how: string;
  readonly check: Check;
}

function Source({ name, how, check }: SourceProps) {
  const { tone, icon, word } = states[check.state];
  const details = Object.entries(check.details);
  return (
    <section className={`source tone-${tone}`}>
      <div className="source-head">
        <h3>{name}</h3>
        <span className="badge">
          <Icon name={icon} />
          {word}
        </span>
      </div>
      <p className="quiet">{how}</p>
      {check.reason !== undefined && <p className="source-reason">{check.reason}</p>}
      <p>{check.proves}</p>
      {details.length > 0 && (
        <details>
          <summary>What it says, word for word</summary>
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
