// What an Artifact says about a file, as far as one may know, and what that means.

import { type Artifact, describeAiPreference } from '@provenance-registry/core';
import type { ReactNode } from 'react';
import { Link } from '../routing.js';
import { WebLink } from './ExternalLink.js';
import { StatusMark, statusLooks } from './StatusBadge.js';
import { Time } from './Timestamp.js';
import './facts.css';

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** As captured when it was registered: the hash of exactly that is on chain, so that a check tells whether it was changed. */
export function ArtifactFacts({ artifact }: { readonly artifact: Artifact }) {
  const { mark, createdAt, status, metadata } = artifact;
  const { author, license, allowAiTraining } = metadata;
  return (
    <>
      <Fact name="Mark">
        {metadata.mark ? (
          <Link to={`/marks/${mark.id}`}>
            <bdi>{metadata.mark.name}</bdi>
          </Link>
        ) : (
          'Private: its members have chosen not to show name, author, licence and preferences.'
        )}
      </Fact>
      {author && (
        <Fact name="Registered by">
          <bdi>{author.name}</bdi>
        </Fact>
      )}
      <Fact name={status === 'failed' ? 'Tried' : 'Since'}>
        <Time at={createdAt} />
      </Fact>
      {license && (
        <Fact name="Licence">{license.url ? <WebLink href={license.url}>{license.name}</WebLink> : license.name}</Fact>
      )}
      {allowAiTraining !== undefined && <Fact name="AI training">{describeAiPreference(allowAiTraining)}</Fact>}
      <Fact name="On the chain">
        <StatusMark status={status} /> {statusLooks[status].sentence}
      </Fact>
    </>
  );
}

export const OTHER_BYTES =
  'Nothing follows for copies that differ by a single byte: what was edited, cropped or saved anew has another fingerprint.';

export interface MeaningProps {
  readonly proof: string;
  readonly limits: readonly string[];
}

export function Meaning({ proof, limits }: MeaningProps) {
  return (
    <div className="meaning">
      <section>
        <h3>What this shows</h3>
        <p>{proof}</p>
      </section>
      <section>
        <h3>What it does not</h3>
        {limits.map((limit) => (
          <p key={limit}>{limit}</p>
        ))}
      </section>
    </div>
  );
}

export function meaningOfRecord({ status }: Artifact): MeaningProps {
  const isOnChain = status === 'submitted' || status === 'confirmed';
  return {
    proof: `This service says that exactly this file was registered under this Mark at that time${
      isOnChain ? ', and that it stands on the chain' : ''
    }.`,
    limits: ['Whoever registers a file first need not have made it, and need not hold any right to it.', OTHER_BYTES],
  };
}
