// Checks of the service, the chain and the signed manifest, which this browser runs itself on demand.

import type { Check, FileVerification, Verification } from '@provenance-registry/client';
import { useEffect, useId, useRef, useState } from 'preact/compat';
import { useRegistryClient } from '../../registryClient.js';
import { Button } from '../../ui/Button.js';
import { ErrorNotice } from '../../ui/ErrorNotice.js';
import { announce } from '../../ui/LiveRegion.js';
import { Notice, type Tone } from '../../ui/Notice.js';
import { Badge, type BadgeProps } from '../../ui/StatusBadge.js';
import { useAction } from '../../ui/useAction.js';
import { confirmationOf } from './confirmation.js';
import { isFormOpen, useOwnSources } from './ownSources.js';
import type { VerificationSubject } from './verifyFingerprint.js';

const sources = [
  ['registry', 'Service', 'What the service states publicly.'],
  ['chain', 'Chain', 'Read by your browser from a node of the chain.'],
  ['manifest', 'Signed manifest', 'Its signature, checked in your browser by the C2PA reference implementation.'],
] as const;

const stateDisplay: Readonly<Record<Check['state'], BadgeProps>> = {
  confirmed: { tone: 'good', icon: 'check', label: 'Confirmed' },
  contradicted: { tone: 'bad', icon: 'cross', label: 'Contradicted' },
  absent: { tone: 'info', icon: 'question', label: 'No entry' },
  unavailable: { tone: 'warn', icon: 'warning', label: 'Unavailable' },
};

const verdictTones: Readonly<Record<Verification['verdict'], Tone>> = {
  verified: 'good',
  consistent: 'info',
  contested: 'warn',
  superseded: 'warn',
  contradicted: 'bad',
  unknown: 'info',
  incomplete: 'warn',
};

const independentNames = { chain: 'the chain', manifest: 'the signed manifest' } as const;

/** In plain words. */
function describeVerdict({ verdict, independentSources }: Verification): string {
  switch (verdict) {
    case 'verified': {
      const sources = independentSources.map((source) => independentNames[source]).join(' and ');
      return `Verified: ${sources} ${independentSources.length === 1 ? 'confirms' : 'confirm'} it independently of this service, and nothing contradicts it.`;
    }
    case 'consistent':
      return 'Everything agrees, but all of it comes from this service. To check independently, name a node or compare the registry’s roots.';
    case 'contested':
      return 'Contested: according to this service, another user contests the registration with older evidence.';
    case 'superseded':
      return 'Superseded: according to this service, the Mark’s admin conceded the file to another Mark.';
    case 'contradicted':
      return 'Contradicted: the sources disagree about this file.';
    case 'unknown':
      return 'Unknown: no available source has an entry for this file.';
    default:
      return 'Could not check: too few sources are available.';
  }
}

interface IndependentChecksProps {
  readonly subject: VerificationSubject;
  /** Undefined until the checks have run. */
  readonly verification: FileVerification | undefined;
  readonly onVerified: (verification: FileVerification) => void;
}

export function IndependentChecks({ subject, verification, onVerified }: IndependentChecksProps) {
  const id = useId();
  const client = useRegistryClient();
  const own = useOwnSources();
  const [isOpen, setIsOpen] = useState(false);
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  const { isBusy, error, run } = useAction(async () => {
    controller.current = new AbortController();
    announce('Checking …');
    const { verifySubject } = await import('./verifyFingerprint.js');
    const verified = await verifySubject(client, subject, own, controller.current.signal);
    onVerified(verified);
    announce(describeVerdict(verified));
  });
  const verifiedWith = useRef(own);
  useEffect(() => {
    if (verifiedWith.current === own) return;
    verifiedWith.current = own;
    if (verification) void run();
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
  const { checks, verdict, problems, notices } = verification;
  const confirmation = confirmationOf(verification);
  const isIncomplete = Object.values(checks).some(({ state }) => state === 'unavailable');
  const actions =
    confirmation !== 'verified' || isIncomplete ? (
      <>
        {isIncomplete && <Button onClick={onRetry}>Check again</Button>}
        {confirmation !== 'verified' && <Button onClick={() => isFormOpen.set(true)}>Use my own sources</Button>}
      </>
    ) : undefined;
  return (
    <div className="stack">
      <Notice tone={verdictTones[verdict]} title={describeVerdict(verification)} actions={actions}>
        {confirmation !== verdict && (
          <p>The registration itself: {describeVerdict({ ...verification, verdict: confirmation })}</p>
        )}
        <Reasons reasons={[...problems.map(({ reason }) => reason), ...notices.map(({ text }) => text)]} />
      </Notice>
      {sources.map(([source, name, description]) => (
        <Source key={source} name={name} description={description} check={checks[source]} />
      ))}
    </div>
  );
}

function Reasons({ reasons }: { readonly reasons: readonly string[] }) {
  if (reasons.length === 0) return null;
  return (
    <ul>
      {reasons.map((reason) => (
        <li key={reason}>
          <bdi>{reason}</bdi>
        </li>
      ))}
    </ul>
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
      {check.reason !== undefined && (
        <p className="source-reason">
          <bdi>{check.reason}</bdi>
        </p>
      )}
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
