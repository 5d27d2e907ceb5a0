// What tells a Mark from others with a similar name: verified domain, age, number of Artifacts. Names are free to choose.

import { escapeHidden, type GalleryMark, NO_VERIFIED_IDENTITY, type VerifiedDomain } from '@provenance-registry/core';
import { Fragment } from 'preact/compat';
import * as texts from '#texts/site/ui';
import * as basics from '../layout/basics.module.css';
import { Icon } from '../text/Icon.js';
import { Link } from '../text/Link.js';
import { Timestamp } from '../text/Timestamp.js';
import * as styles from './MarkIdentity.module.css';

export type MarkReference = Pick<GalleryMark, 'id' | 'name'>;

/** One line without links, for use within a link or beside a name. */
export function MarkIdentityLine({ mark }: { readonly mark: GalleryMark }) {
  const { verifiedDomains, createdAt, artifactCount, namesakeCount, isClosed } = mark;
  return (
    <span className={styles.identity}>
      {verifiedDomains.length === 0 ? (
        <span>{NO_VERIFIED_IDENTITY}</span>
      ) : (
        verifiedDomains.map(({ domain }, index) => (
          <Fragment key={domain}>
            {index > 0 && ' · '}
            <DomainName domain={domain} />
          </Fragment>
        ))
      )}
      {' · '}
      {texts.sinceWithCount(<Timestamp at={createdAt} isDayOnly />, artifactCount)}
      {namesakeCount > 0 && (
        <>
          {' · '}
          <span className={styles.count} data-tone="warn">
            {texts.similarNames(namesakeCount)}
          </span>
        </>
      )}
      {isClosed && ` · ${texts.isClosed}`}
    </span>
  );
}

/** Its ASCII form, in which no letter imitates another. */
export function DomainName({ domain }: Pick<VerifiedDomain, 'domain'>) {
  return (
    <span className={styles.domain} title={texts.domainMeaning}>
      <Icon name="check" />
      <span className={basics.visuallyHidden}>{texts.verifiedDomain} </span>
      {domain}
    </span>
  );
}

export function MarkLink({ mark: { id, name } }: { readonly mark: MarkReference }) {
  return (
    <Link to={`/marks/${id}`}>
      <bdi>{escapeHidden(name)}</bdi>
    </Link>
  );
}

interface NameAtRegistrationProps {
  /** The Mark as it was when the file was registered. */
  readonly registered: MarkReference;
  /** The Mark now, as far as the visitor may see it. */
  readonly mark: GalleryMark | { readonly id: string };
}

/** The name at registration, and the present one if it is another. */
export function NameAtRegistration({ registered, mark }: NameAtRegistrationProps) {
  const link = <MarkLink mark={{ ...registered, id: mark.id }} />;
  return 'name' in mark && mark.name !== registered.name
    ? texts.nowCalled(link, <bdi>{escapeHidden(mark.name)}</bdi>)
    : link;
}
