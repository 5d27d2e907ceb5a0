// Checks of the service, the chain and the signed manifest, which this browser runs itself, at once or on demand.

import type { Check, FileVerification, Verification } from '@provenance-registry/client';
import { useEffect, useId, useRef, useState } from 'preact/compat';
import * as texts from '#texts/verifyChecks';
import { useRegistryClient } from '../../registryClient.js';
import { Button } from '../../ui/Button.js';
import { ErrorNotice } from '../../ui/ErrorNotice.js';
import { announce } from '../../ui/LiveRegion.js';
import { Notice, type Tone } from '../../ui/Notice.js';
import { Badge, type BadgeProps } from '../../ui/StatusBadge.js';
import { useAction } from '../../ui/useAction.js';
import { confirmationOf } from './confirmation.js';
import { isFormOpen, useOwnSources } from './ownSources.js';
import type { VerificationSubject } from './verifierChunk.js';
import './checks.css';

const sources = ['registry', 'chain', 'manifest'] as const;

const stateDisplay: Readonly<Record<Check['state'], BadgeProps>> = {
  confirmed: { tone: 'good', icon: 'check', label: texts.states.confirmed },
  contradicted: { tone: 'bad', icon: 'cross', label: texts.states.contradicted },
  absent: { tone: 'info', icon: 'question', label: texts.states.absent },
  unavailable: { tone: 'warn', icon: 'warning', label: texts.states.unavailable },
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

/** The verdict in plain words. */
function describeVerdict({ verdict, independentSources }: Verification): string {
  if (verdict !== 'verified') return texts.verdicts[verdict];
  const [source, ...others] = independentSources;
  return source === undefined || others.length > 0 ? texts.verifiedBy.both : texts.verifiedBy[source];
}

interface IndependentChecksProps {
  readonly subject: VerificationSubject;
  /** Undefined until the checks have run. */
  readonly verification: FileVerification | undefined;
  readonly onVerified: (verification: FileVerification) => void;
  /** Runs the checks when it is shown, with their details open. */
  readonly startsAtOnce?: boolean;
}

export function IndependentChecks({ subject, verification, onVerified, startsAtOnce = false }: IndependentChecksProps) {
  const id = useId();
  const client = useRegistryClient();
  const own = useOwnSources();
  const [isOpen, setIsOpen] = useState(startsAtOnce);
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  const { isBusy, error, run } = useAction(async () => {
    controller.current = new AbortController();
    announce(texts.checking);
    const { verifySubject } = await import('./verifierChunk.js');
    const verified = await verifySubject(client, subject, own, controller.current.signal);
    onVerified(verified);
    announce(describeVerdict(verified));
  });
  const isStarted = useRef(false);
  useEffect(() => {
    if (!startsAtOnce || isStarted.current) return;
    isStarted.current = true;
    void run();
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
          {isOpen ? texts.hideDetails : texts.verifyIndependently}
        </Button>
        {!isOpen && <span className="quiet">{texts.withWhat}</span>}
      </div>
      <div id={id} hidden={!isOpen}>
        <ErrorNotice error={error} onRetry={run} />
        {isBusy && <p className="quiet">{texts.inProgress}</p>}
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
        {isIncomplete && <Button onClick={onRetry}>{texts.checkAgain}</Button>}
        {confirmation !== 'verified' && <Button onClick={() => isFormOpen.set(true)}>{texts.useOwnSources}</Button>}
      </>
    ) : undefined;
  return (
    <div className="stack">
      <Notice tone={verdictTones[verdict]} title={describeVerdict(verification)} actions={actions}>
        {confirmation !== verdict && (
          <p>{texts.registrationItself(describeVerdict({ ...verification, verdict: confirmation }))}</p>
        )}
        <Reasons reasons={[...problems.map(({ reason }) => reason), ...notices.map(({ text }) => text)]} />
      </Notice>
      {sources.map((source) => (
        <Source key={source} {...texts.sources[source]} check={checks[source]} />
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
          <summary>{texts.rawData}</summary>
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
