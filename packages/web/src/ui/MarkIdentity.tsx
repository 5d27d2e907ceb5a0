// What tells a Mark from others with a similar name: verified domain, age, number of Artifacts. Names are free to choose.

import {
  describeNamesakes,
  type GalleryMark,
  NO_VERIFIED_IDENTITY,
  type VerifiedDomain,
} from '@provenance-registry/core';
import { Fragment, useCallback, useState } from 'preact/compat';
import * as texts from '#texts/ui';
import { useRegistryClient } from '../registryClient.js';
import { Fact } from './Fact.js';
import { Icon } from './Icon.js';
import { Link } from './Link.js';
import { QueryView, useQuery } from './query.js';
import { Timestamp } from './Timestamp.js';
import './markIdentity.css';

type MarkReference = Pick<GalleryMark, 'id' | 'name'>;

interface MarkIdentityProps {
  readonly mark: GalleryMark;
}

/** One line without links, for use within a link or beside a name. */
export function MarkIdentityLine({ mark }: MarkIdentityProps) {
  const { verifiedDomains, createdAt, artifactCount, namesakeCount, isClosed } = mark;
  return (
    <span className="identity">
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
          <span className="namesake-count tone-warn">{texts.similarNames(namesakeCount)}</span>
        </>
      )}
      {isClosed && ` · ${texts.isClosed}`}
    </span>
  );
}

/** Rows of a list of facts. */
export function MarkIdentityFacts({ mark }: MarkIdentityProps) {
  const { verifiedDomains, createdAt, artifactCount, namesakeCount, representedBy } = mark;
  return (
    <>
      <Fact name={texts.factNames.identity}>
        {verifiedDomains.length === 0 ? (
          <>
            {NO_VERIFIED_IDENTITY}. <span className="quiet">{texts.freeName}</span>
          </>
        ) : (
          verifiedDomains.map((domain) => <DomainLine key={domain.domain} {...domain} />)
        )}
      </Fact>
      <Fact name={texts.markCreated}>
        {texts.createdWithCount(<Timestamp at={createdAt} isDayOnly />, artifactCount)}
      </Fact>
      {namesakeCount > 0 && (
        <Fact name={texts.similarNamesFact}>
          <Namesakes mark={mark} />
        </Fact>
      )}
      {representedBy && (
        <Fact name={texts.representedBy}>
          <ReferencedMark mark={representedBy} /> <span className="quiet">{texts.asAdminStates}</span>
        </Fact>
      )}
    </>
  );
}

/** Its ASCII form, in which no letter imitates another. */
function DomainName({ domain }: Pick<VerifiedDomain, 'domain'>) {
  return (
    <span className="domain tone-good" title={texts.domainMeaning}>
      <Icon name="check" />
      <span className="visually-hidden">{texts.verifiedDomain} </span>
      {domain}
    </span>
  );
}

/** Verified now. */
function DomainLine({ domain, method, since, lastChecked }: VerifiedDomain) {
  return (
    <span className="domain-line">
      <DomainName domain={domain} />
      <span className="quiet">
        {texts.domainChecked(
          texts.domainMethods[method],
          <Timestamp at={since} isDayOnly />,
          <Timestamp at={lastChecked} isDayOnly />,
        )}
      </span>
    </span>
  );
}

/** Loaded when the visitor asks for them. */
function Namesakes({ mark }: MarkIdentityProps) {
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <details className="namesakes" onToggle={() => setWasOpened(true)}>
      <summary className="tone-warn">{describeNamesakes(mark)}</summary>
      {wasOpened && <NamesakeList mark={mark} />}
    </details>
  );
}

function NamesakeList({ mark: { id, name } }: MarkIdentityProps) {
  const client = useRegistryClient();
  const load = useCallback((signal: AbortSignal) => client.listNamesakes({ name }, { signal }), [client, name]);
  return (
    <QueryView query={useQuery(load)} what={texts.marks}>
      {({ marks }) => (
        <ul>
          {marks
            .filter((other) => other.id !== id)
            .map((other) => (
              <li key={other.id}>
                <MarkLink mark={other} />
                <MarkIdentityLine mark={other} />
              </li>
            ))}
        </ul>
      )}
    </QueryView>
  );
}

function MarkLink({ mark: { id, name } }: { readonly mark: MarkReference }) {
  return (
    <Link to={`/marks/${id}`}>
      <bdi>{name}</bdi>
    </Link>
  );
}

/** A Mark of which only the name is at hand: the rest is loaded. */
export function ReferencedMark({ mark }: { readonly mark: MarkReference }) {
  const client = useRegistryClient();
  const { id: markId } = mark;
  const load = useCallback((signal: AbortSignal) => client.getPublicMark({ markId }, { signal }), [client, markId]);
  // What cannot be read, as a Mark that is private by now, is shown by its name alone.
  const { value } = useQuery(load);
  return (
    <>
      <MarkLink mark={mark} /> {value && <MarkIdentityLine mark={value} />}
    </>
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
  return 'name' in mark && mark.name !== registered.name ? texts.nowCalled(link, <bdi>{mark.name}</bdi>) : link;
}
