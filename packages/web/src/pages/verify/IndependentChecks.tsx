// Checks of the service, the chain, the signed manifest and the public log, which this browser runs itself, at once or on demand.

import { type Check, explanations, isConfirmed, type Verification } from '@provenance-registry/client';
import { useEffect, useId, useRef, useState } from 'preact/compat';
import * as texts from '#texts/lookups/verifyChecks';
import { useRegistryClient } from '../../registryClient.js';
import { ErrorNotice } from '../../ui/feedback/ErrorNotice.js';
import { announce } from '../../ui/feedback/LiveRegion.js';
import { Notice, type Tone } from '../../ui/feedback/Notice.js';
import { Button } from '../../ui/form/Button.js';
import { useAction } from '../../ui/form/useAction.js';
import * as basics from '../../ui/layout/basics.module.css';
import { CheckState, stateDisplay } from './CheckState.js';
import * as styles from './IndependentChecks.module.css';
import { isFormOpen, useOwnSources } from './ownSources.js';
import type { VerificationSubject } from './verifierChunk.js';

const sources = ['registry', 'chain', 'manifest', 'log'] as const;

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
function describeVerdict(verification: Verification): string {
  const words = explanations.verdict(verification);
  return verification.verdict === 'consistent' ? `${words} ${texts.checkIndependently}` : words;
}

interface IndependentChecksProps {
  readonly subject: VerificationSubject;
  /** Undefined until the checks have run. */
  readonly verification: Verification | undefined;
  readonly onVerified: (verification: Verification) => void;
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
    <section className={`${basics.stack} ${styles.checks}`}>
      <div className={`${basics.row} ${basics.noPrint}`}>
        <Button aria-expanded={isOpen} aria-controls={id} onClick={toggle}>
          {isOpen ? texts.hideDetails : texts.verifyIndependently}
        </Button>
        {!isOpen && <span className={basics.quiet}>{texts.withWhat}</span>}
      </div>
      <div id={id} hidden={!isOpen}>
        <ErrorNotice error={error} onRetry={run} />
        {isBusy && <p className={basics.quiet}>{texts.inProgress}</p>}
        {!isBusy && error === undefined && verification && <Results verification={verification} onRetry={run} />}
      </div>
    </section>
  );
}

function Results({ verification, onRetry }: { readonly verification: Verification; readonly onRetry: () => void }) {
  const { checks, verdict, problems, notices } = verification;
  const isVerified = isConfirmed(verification);
  // A service without a log, or without a record, has nothing there to check.
  const shown = sources.filter((source) => source !== 'log' || checks.log.code !== 'NOT_CHECKED');
  const isIncomplete = shown.some((source) => checks[source].state === 'unavailable');
  const actions =
    !isVerified || isIncomplete ? (
      <>
        {isIncomplete && <Button onClick={onRetry}>{texts.checkAgain}</Button>}
        {!isVerified && <Button onClick={() => isFormOpen.set(true)}>{texts.useOwnSources}</Button>}
      </>
    ) : undefined;
  return (
    <div className={basics.stack} data-verdict={verdict}>
      <Notice tone={verdictTones[verdict]} title={describeVerdict(verification)} actions={actions}>
        <Reasons reasons={[...problems.map(({ reason }) => reason), ...notices.map(({ text }) => text)]} />
      </Notice>
      {shown.map((source) => (
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
    <section className={styles.source} data-tone={stateDisplay[check.state].tone}>
      <div className={`${basics.spread} ${styles.head}`}>
        <h3>{name}</h3>
        <CheckState check={check} />
      </div>
      <p className={basics.quiet}>{description}</p>
      {check.reason !== undefined && (
        <p className={styles.reason}>
          <bdi>{check.reason}</bdi>
        </p>
      )}
      <p>{check.proves}</p>
      {details.length > 0 && (
        <details>
          <summary>{texts.rawData}</summary>
          <dl className={styles.raw}>
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
