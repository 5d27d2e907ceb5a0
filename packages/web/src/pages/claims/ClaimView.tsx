// One claim: what it says, what was checked about its evidence, and what followed. All texts in it are a user's.

import type { Claim } from '@provenance-registry/core';
import type { ReactNode } from 'preact/compat';
import * as texts from '#texts/claims/claims';
import { Badge, type BadgeProps } from '../../ui/feedback/StatusBadge.js';
import * as basics from '../../ui/layout/basics.module.css';
import { ReferencedMark } from '../../ui/mark/MarkIdentity.js';
import { ShortFingerprint } from '../../ui/text/FingerprintText.js';
import { ExternalLink, Link } from '../../ui/text/Link.js';
import { Timestamp } from '../../ui/text/Timestamp.js';
import { ClaimActions, type ClaimSide } from './ClaimActions.js';
import * as styles from './ClaimView.module.css';

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
    <article className={`${basics.stack} ${basics.box} ${styles.claim}`} aria-label={texts.claimOf(claimant.name)}>
      <header className={basics.spread}>
        <h3>
          <bdi>{claimant.name}</bdi>
        </h3>
        <span className={basics.row}>
          {claim.status === 'open' && <Badge {...evidenceBadges[claim.evidence.state]} />}
          <Badge {...statusBadges[claim.status]} />
        </span>
      </header>
      {showsFile && (
        <p>
          {texts.aboutFile(
            <Link to={`/artifacts/${fingerprint}`}>
              <ShortFingerprint fingerprint={fingerprint} />
            </Link>,
          )}
        </p>
      )}
      {mark && <p>{texts.forMark(<ReferencedMark mark={mark} />)}</p>}
      <p className={styles.text}>
        <bdi>{statement}</bdi>
      </p>
      <Evidence claim={claim} />
      <p className={basics.quiet}>{texts.claimed(<Timestamp at={createdAt} />)}</p>
      {entries.length > 0 && (
        <ol className={styles.entries}>
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
  open: { tone: 'warn', icon: 'warning', label: texts.statuses.open },
  withdrawn: { tone: 'info', icon: 'cross', label: texts.statuses.withdrawn },
  superseded: { tone: 'info', icon: 'check', label: texts.statuses.superseded },
};

const evidenceBadges: Readonly<Record<Claim['evidence']['state'], BadgeProps>> = {
  checked: { tone: 'warn', icon: 'check', label: texts.evidenceStates.checked },
  unchecked: { tone: 'info', icon: 'question', label: texts.evidenceStates.unchecked },
  none: { tone: 'info', icon: 'info', label: texts.evidenceStates.none },
};

function Evidence({ claim: { kind, evidence } }: Pick<ClaimViewProps, 'claim'>) {
  const { state, time, source, reason, url } = evidence;
  if (state === 'none') return <p className={basics.quiet}>{texts.noEvidence}</p>;
  const isChecked = state === 'checked';
  return (
    <div className={styles.evidence}>
      <p>
        {texts.evidenceLine({
          kind,
          isChecked,
          time: time === null ? null : <Timestamp at={time} />,
          source: source === null ? null : <bdi>{source}</bdi>,
        })}
      </p>
      <p className={basics.quiet}>
        {isChecked ? texts.isChecked : texts.isUnchecked} {reason !== null && <bdi>{reason}</bdi>}
      </p>
      {url !== null && (
        <p>
          {texts.downloadEvidence(
            (text) => (
              <ExternalLink href={url}>{text}</ExternalLink>
            ),
            (text) => (
              <span className={basics.quiet}>{text}</span>
            ),
          )}
        </p>
      )}
    </div>
  );
}

function Entry({ entry }: { readonly entry: Claim['entries'][number] }) {
  return (
    <li>
      <p>
        {texts.entryAt(<EntryTitle entry={entry} />, <Timestamp at={entry.at} />, (text) => (
          <span className={basics.quiet}>{text}</span>
        ))}
      </p>
      {entry.text !== null && (
        <p className={styles.text}>
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
      return texts.answerOf(name);
    case 'withdrawal':
      return texts.withdrawnBy(name);
    case 'superseded':
      return texts.concededBy(name, mark ? <ReferencedMark mark={mark} /> : null);
    case 'operator-note':
      return texts.operatorNote;
  }
}
