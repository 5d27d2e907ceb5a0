// The facts of an Artifact, and what they prove.

import { type Artifact, describeAuthorship, describePossession } from '@provenance-registry/core';
import * as texts from '#texts/site/ui';
import { Fact } from '../facts/Fact.js';
import * as factStyles from '../facts/Fact.module.css';
import { LicenseFacts } from '../facts/LicenseFacts.js';
import { StatusBadge, statusDisplay } from '../feedback/StatusBadge.js';
import { MarkIdentityLine, NameAtRegistration } from '../mark/MarkIdentityLine.js';
import { Timestamp } from '../text/Timestamp.js';
import * as styles from './ArtifactFacts.module.css';

/** The values at registration, hashed on chain or signed, and what this service says about the registrant. */
export function ArtifactFacts({ artifact }: { readonly artifact: Artifact }) {
  const { mark, createdAt, status, metadata, aiPreferences } = artifact;
  const { author, license } = metadata;
  return (
    <>
      <Fact name={texts.factNames.mark}>
        {metadata.mark ? <NameAtRegistration registered={metadata.mark} mark={mark} /> : texts.privateMark}
      </Fact>
      <RegistrantFacts artifact={artifact} />
      {author && (
        <Fact name={texts.factNames.registeredBy}>
          <bdi>{author.name}</bdi>
        </Fact>
      )}
      <Fact name={status === 'failed' ? texts.factNames.attempted : texts.factNames.registered}>
        <Timestamp at={createdAt} />
      </Fact>
      <LicenseFacts license={license} aiPreferences={aiPreferences} />
      <StatusFact status={status} />
    </>
  );
}

/** Never more than the service's word. */
export function RegistrantFacts({ artifact }: { readonly artifact: Artifact }) {
  const { mark, verifiedDomains, domainsAtRegistration } = artifact;
  return (
    <>
      {'name' in mark && (
        <Fact name={texts.factNames.identity}>
          <MarkIdentityLine mark={mark} />
          {verifiedDomains.map(({ domain, since, verifiedAtRegistration }) => (
            <span key={domain} className={factStyles.quietLine}>
              {verifiedAtRegistration
                ? texts.verifiedAtRegistration(domain)
                : texts.verifiedLater(domain, <Timestamp at={since} isDayOnly />)}
            </span>
          ))}
          {domainsAtRegistration.map(
            ({ domain, until }) =>
              until !== null && (
                <span key={`${domain} ${until}`} className={factStyles.quietLine}>
                  {texts.verifiedUntil(domain, <Timestamp at={until} isDayOnly />)}
                </span>
              ),
          )}
        </Fact>
      )}
      <Fact name={texts.factNames.possession}>{describePossession(artifact)}</Fact>
      <Fact name={texts.factNames.authorship}>{describeAuthorship(artifact)}</Fact>
    </>
  );
}

export function StatusFact({ status }: Pick<Artifact, 'status'>) {
  return (
    <Fact name={texts.factNames.status}>
      <StatusBadge status={status} /> {statusDisplay[status].sentence}
    </Fact>
  );
}

export const EXACT_COPIES_ONLY = texts.exactCopiesOnly;

export interface ProofProps {
  readonly proof: string;
  readonly limits: readonly string[];
}

/** `level`: of its headings. */
export function Proof({ proof, limits, level = 3 }: ProofProps & { readonly level?: 2 | 3 }) {
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <div className={styles.proof}>
      <section>
        <Heading>{texts.proves}</Heading>
        <p>{proof}</p>
      </section>
      <section>
        <Heading>{texts.doesNotProve}</Heading>
        {limits.map((limit) => (
          <p key={limit}>{limit}</p>
        ))}
      </section>
    </div>
  );
}

export function isOnChain(status: Artifact['status']): boolean {
  return status === 'submitted' || status === 'confirmed';
}

export function describeRecord({ status }: Pick<Artifact, 'status'>): ProofProps {
  return {
    proof: isOnChain(status) ? texts.recordProofOnChain : texts.recordProof,
    limits: [texts.firstIsNotMaker, EXACT_COPIES_ONLY],
  };
}
