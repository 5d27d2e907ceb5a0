// One look-alike: the facts that this service states about a registered file that resembles another one.

import { type Lookalike, NO_VERIFIED_IDENTITY } from '@provenance-registry/core';
import type { ReactNode } from 'preact/compat';
import * as texts from '#texts/lookups/lookalikes';
import { Fact } from '../facts/Fact.js';
import * as factStyles from '../facts/Fact.module.css';
import { LicenseFacts } from '../facts/LicenseFacts.js';
import { Badge, contestedDisplay } from '../feedback/StatusBadge.js';
import * as basics from '../layout/basics.module.css';
import { DomainName, MarkLink } from '../mark/MarkIdentityLine.js';
import { Link } from '../text/Link.js';
import { Timestamp } from '../text/Timestamp.js';
import * as styles from './Lookalike.module.css';
import { describeCloseness, describeHashesBy, describeRelation } from './lookalikeTexts.js';

interface LookalikeViewProps {
  readonly lookalike: Lookalike;
  /** Further links. */
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

export function LookalikeView({ lookalike, actions, children }: LookalikeViewProps) {
  const { fingerprint, kind, mark, verifiedDomain, registeredAt, license, aiPreferences, contested, supersededBy } =
    lookalike;
  const relation = describeRelation(lookalike);
  return (
    <article className={styles.lookalike}>
      <h4>
        <span>{texts.resembles[kind](mark && <MarkLink mark={mark} />)}</span>
        {contested && <Badge {...contestedDisplay} label={texts.contested} />}
      </h4>
      {children}
      <dl className={factStyles.facts}>
        <Fact name={texts.closeness}>
          {describeCloseness(lookalike)}
          {relation !== undefined && <span className={factStyles.line}>{relation}</span>}
        </Fact>
        <Fact name={texts.registered}>{texts.since(<Timestamp at={registeredAt} />)}</Fact>
        {mark && (
          <Fact name={texts.identity}>
            {verifiedDomain === undefined ? NO_VERIFIED_IDENTITY : <DomainName domain={verifiedDomain} />}
            {mark.nameAtRegistration !== undefined && (
              <span className={factStyles.quietLine}>
                {texts.calledAtRegistration(<bdi>{mark.nameAtRegistration}</bdi>)}
              </span>
            )}
          </Fact>
        )}
        <LicenseFacts license={license} aiPreferences={aiPreferences} />
        {supersededBy && (
          <Fact name={texts.concededTo}>
            <MarkLink mark={supersededBy} />
          </Fact>
        )}
        <Fact name={texts.codes}>{describeHashesBy(lookalike)}</Fact>
      </dl>
      <p className={basics.row}>
        <Link to={`/artifacts/${fingerprint}`}>{texts.viewArtifact}</Link>
        {actions}
      </p>
    </article>
  );
}

export function LookalikeList({ lookalikes }: { readonly lookalikes: readonly Lookalike[] }) {
  return (
    <ul className={`${basics.list} ${styles.list}`}>
      {lookalikes.map((lookalike) => (
        <li key={lookalike.fingerprint}>
          <LookalikeView lookalike={lookalike} />
        </li>
      ))}
    </ul>
  );
}
