// One claim: what it says, what was checked about its evidence, and what followed. All texts in it are a user's.

import type { Claim } from '@provenance-registry/core';
import type { ReactNode } from 'preact/compat';
import { shortenFingerprint } from '../../ui/FingerprintText.js';
import { ExternalLink, Link } from '../../ui/Link.js';
import { ReferencedMark } from '../../ui/MarkIdentity.js';
import { Badge, type BadgeProps } from '../../ui/StatusBadge.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { ClaimActions, type ClaimSide } from './ClaimActions.js';
import './claims.css';

interface ClaimViewProps {
  readonly claim: Claim;
  /** What the visitor may do; undefined: nothing. */
  readonly side: ClaimSide | undefined;
  /** Where the page is not about the file anyway. */
  readonly showsFile?: boolean;
  readonly onChanged: (claim: Claim) => void;
}

export function ClaimView({ claim, side, showsFile = false, onChanged }: ClaimViewProps) {
  const { fingerprint, claimant, mark, statement, createdAt, entries } = claim;
  return (
    <article className="claim" aria-label={`Claim of ${claimant.name}`}>
      <header className="claim-head">
        <h3>
          <bdi>{claimant.name}</bdi>
        </h3>
        <span className="row">
          {claim.status === 'open' && <Badge {...evidenceBadges[claim.evidence.state]} />}
          <Badge {...statusBadges[claim.status]} />
        </span>
      </header>
      {showsFile && (
        <p>
          About the file{' '}
          <Link to={`/artifacts/${fingerprint}`}>
            <code>{shortenFingerprint(fingerprint)}</code>
          </Link>
        </p>
      )}
      {mark && (
        <p>
          For the Mark <ReferencedMark mark={mark} />
        </p>
      )}
      <p className="claim-text">
        <bdi>{statement}</bdi>
      </p>
      <Evidence claim={claim} />
      <p className="quiet">
        Claimed <Timestamp at={createdAt} />
      </p>
      {entries.length > 0 && (
        <ol className="claim-entries">
          {entries.map((entry, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: entries are only ever added at the end
            <Entry key={index} entry={entry} />
          ))}
        </ol>
      )}
      {side && claim.status === 'open' && <ClaimActions claim={claim} side={side} onChanged={onChanged} />}
    </article>
  );
}

const statusBadges: Readonly<Record<Claim['status'], BadgeProps>> = {
  open: { tone: 'warn', icon: 'warning', label: 'Open' },
  withdrawn: { tone: 'info', icon: 'cross', label: 'Withdrawn' },
  superseded: { tone: 'info', icon: 'check', label: 'Conceded' },
};

const evidenceBadges: Readonly<Record<Claim['evidence']['state'], BadgeProps>> = {
  checked: { tone: 'warn', icon: 'check', label: 'Checked evidence' },
  unchecked: { tone: 'info', icon: 'question', label: 'Unchecked evidence' },
  none: { tone: 'info', icon: 'info', label: 'Statement only' },
};

const evidenceNames: Readonly<Record<Claim['kind'], string>> = {
  statement: 'Statement',
  timestamp: 'Time-stamp',
  manifest: 'C2PA manifest',
  'chain-entry': 'Entry in the public registry on chain',
};

function Evidence({ claim: { kind, evidence } }: Pick<ClaimViewProps, 'claim'>) {
  const { state, time, source, reason, url } = evidence;
  if (state === 'none') return <p className="quiet">No evidence besides this statement.</p>;
  return (
    <div className="claim-evidence">
      <p>
        <strong>{evidenceNames[kind]}</strong>
        {time !== null && (
          <>
            {state === 'checked' ? ' of ' : ', which states '}
            <Timestamp at={time} />
          </>
        )}
        {source !== null && (
          <>
            {time === null ? ', ' : ', by '}
            <bdi>{source}</bdi>
          </>
        )}
      </p>
      <p className="quiet">
        {state === 'checked'
          ? 'This service checked that it is about exactly this file, older than the registration, and from a source that its operator trusts.'
          : 'Not checked: nothing is known about its time.'}{' '}
        {reason !== null && <bdi>{reason}</bdi>}
      </p>
      {url !== null && (
        <p>
          <ExternalLink href={url}>Download the evidence</ExternalLink>
          <span className="quiet"> to check it yourself</span>
        </p>
      )}
    </div>
  );
}

function Entry({ entry }: { readonly entry: Claim['entries'][number] }) {
  return (
    <li>
      <p>
        <EntryTitle entry={entry} />
        <span className="quiet">
          , <Timestamp at={entry.at} />
        </span>
      </p>
      {entry.text !== null && (
        <p className="claim-text">
          <bdi>{entry.text}</bdi>
        </p>
      )}
    </li>
  );
}

function EntryTitle({ entry: { type, author, mark } }: { readonly entry: Claim['entries'][number] }): ReactNode {
  const name = author && <bdi>{author.name}</bdi>;
  switch (type) {
    case 'answer':
      return <strong>Answer of the Mark’s admin {name}</strong>;
    case 'withdrawal':
      return <strong>Withdrawn by the claimant {name}</strong>;
    case 'superseded':
      return (
        <>
          <strong>Conceded by the Mark’s admin {name}</strong>
          {mark && (
            <>
              {' '}
              to the Mark <ReferencedMark mark={mark} />
            </>
          )}
        </>
      );
    case 'operator-note':
      return <strong>Note of the operator of this registry</strong>;
  }
}
