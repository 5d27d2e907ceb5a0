// The facts of an Artifact, and what they prove.

import { type Artifact, describeAuthorship, describePossession } from '@provenance-registry/core';
import { Fact } from './Fact.js';
import { LicenseFacts } from './LicenseFacts.js';
import { MarkIdentityLine, NameAtRegistration } from './MarkIdentity.js';
import { StatusBadge, statusDisplay } from './StatusBadge.js';
import { Timestamp } from './Timestamp.js';

/** The values at registration, hashed on chain or signed, and what this service says about the registrant. */
export function ArtifactFacts({ artifact }: { readonly artifact: Artifact }) {
  const { mark, createdAt, status, metadata, aiPreferences } = artifact;
  const { author, license } = metadata;
  return (
    <>
      <Fact name="Mark">
        {metadata.mark ? (
          <NameAtRegistration registered={metadata.mark} mark={mark} />
        ) : (
          'Private: name, author, license and preferences are visible to its members only.'
        )}
      </Fact>
      <RegistrantFacts artifact={artifact} />
      {author && (
        <Fact name="Registered by">
          <bdi>{author.name}</bdi>
        </Fact>
      )}
      <Fact name={status === 'failed' ? 'Attempted' : 'Registered'}>
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
        <Fact name="Identity">
          <MarkIdentityLine mark={mark} />
          {verifiedDomains.map(({ domain, since, verifiedAtRegistration }) => (
            <span key={domain} className="fact-line quiet">
              {domain}: verified{' '}
              {verifiedAtRegistration ? (
                'when this file was registered'
              ) : (
                <>
                  since <Timestamp at={since} isDayOnly />, after this file was registered
                </>
              )}
            </span>
          ))}
          {domainsAtRegistration.map(
            ({ domain, until }) =>
              until !== null && (
                <span key={`${domain} ${until}`} className="fact-line quiet">
                  {domain}: verified when this file was registered, until <Timestamp at={until} isDayOnly />
                </span>
              ),
          )}
        </Fact>
      )}
      <Fact name="Possession">{describePossession(artifact)}</Fact>
      <Fact name="Authorship">{describeAuthorship(artifact)}</Fact>
    </>
  );
}

export function StatusFact({ status }: Pick<Artifact, 'status'>) {
  return (
    <Fact name="Status">
      <StatusBadge status={status} /> {statusDisplay[status].sentence}
    </Fact>
  );
}

export const EXACT_COPIES_ONLY =
  'Copies that were edited, cropped or saved again have different fingerprints and are not covered.';

export interface ProofProps {
  readonly proof: string;
  readonly limits: readonly string[];
}

export function Proof({ proof, limits }: ProofProps) {
  return (
    <div className="proof">
      <section>
        <h3>What this proves</h3>
        <p>{proof}</p>
      </section>
      <section>
        <h3>What this does not prove</h3>
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
    proof: `This service states that exactly this file was registered under this Mark at that time${
      isOnChain(status) ? ', and that it is on chain' : ''
    }.`,
    limits: ['Registering a file first does not mean having made it or holding rights to it.', EXACT_COPIES_ONLY],
  };
}
