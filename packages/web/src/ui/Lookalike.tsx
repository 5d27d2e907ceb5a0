// One look-alike: the facts that this service states about a registered file that resembles another one.

import { type Lookalike, NO_VERIFIED_IDENTITY } from '@provenance-registry/core';
import type { ReactNode } from 'preact/compat';
import * as texts from '#texts/lookalikes';
import { Fact } from './Fact.js';
import { Icon } from './Icon.js';
import { LicenseFacts } from './LicenseFacts.js';
import { Link } from './Link.js';
import { describeCloseness, describeHashesBy, describeRelation } from './lookalikeTexts.js';
import { Badge, contestedDisplay } from './StatusBadge.js';
import { Timestamp } from './Timestamp.js';
import './lookalike.css';

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
    <article className="lookalike">
      <h4>
        <span>
          {texts.resembles[kind](
            mark && (
              <Link to={`/marks/${mark.id}`}>
                <bdi>{mark.name}</bdi>
              </Link>
            ),
          )}
        </span>
        {contested && <Badge {...contestedDisplay} label={texts.contested} />}
      </h4>
      {children}
      <dl className="facts">
        <Fact name={texts.closeness}>
          {describeCloseness(lookalike)}
          {relation !== undefined && <span className="fact-line">{relation}</span>}
        </Fact>
        <Fact name={texts.registered}>{texts.since(<Timestamp at={registeredAt} />)}</Fact>
        {mark && (
          <Fact name={texts.identity}>
            {verifiedDomain === undefined ? (
              NO_VERIFIED_IDENTITY
            ) : (
              <span className="domain tone-good">
                <Icon name="check" />
                <span className="visually-hidden">{texts.verifiedDomain} </span>
                {verifiedDomain}
              </span>
            )}
            {mark.nameAtRegistration !== undefined && (
              <span className="fact-line quiet">
                {texts.calledAtRegistration(<bdi>{mark.nameAtRegistration}</bdi>)}
              </span>
            )}
          </Fact>
        )}
        <LicenseFacts license={license} aiPreferences={aiPreferences} />
        {supersededBy && (
          <Fact name={texts.concededTo}>
            <Link to={`/marks/${supersededBy.id}`}>
              <bdi>{supersededBy.name}</bdi>
            </Link>
          </Fact>
        )}
        <Fact name={texts.codes}>{describeHashesBy(lookalike)}</Fact>
      </dl>
      <p className="row">
        <Link to={`/artifacts/${fingerprint}`}>{texts.viewArtifact}</Link>
        {actions}
      </p>
    </article>
  );
}
