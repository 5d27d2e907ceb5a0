// What tells a Mark from others with a similar name: verified domain, age, number of Artifacts. Names are free to choose.

import {
  describeNamesakes,
  type GalleryMark,
  NO_VERIFIED_IDENTITY,
  type VerifiedDomain,
} from '@provenance-registry/core';
import { Fragment, useCallback, useState } from 'preact/compat';
import { useRegistryClient } from '../registryClient.js';
import { Fact } from './Fact.js';
import { pluralize } from './format.js';
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
      {' · '}since <Timestamp at={createdAt} isDayOnly /> · {pluralize(artifactCount, 'Artifact')}
      {namesakeCount > 0 && (
        <>
          {' · '}
          <span className="namesake-count tone-warn">{pluralize(namesakeCount, 'similar name')}</span>
        </>
      )}
      {isClosed && ' · closed'}
    </span>
  );
}

/** Rows of a list of facts. */
export function MarkIdentityFacts({ mark }: MarkIdentityProps) {
  const { verifiedDomains, createdAt, artifactCount, namesakeCount, representedBy } = mark;
  return (
    <>
      <Fact name="Identity">
        {verifiedDomains.length === 0 ? (
          <>
            {NO_VERIFIED_IDENTITY}. <span className="quiet">Anyone can choose this name.</span>
          </>
        ) : (
          verifiedDomains.map((domain) => <DomainLine key={domain.domain} {...domain} />)
        )}
      </Fact>
      <Fact name="Mark created">
        <Timestamp at={createdAt} isDayOnly />, {pluralize(artifactCount, 'Artifact')}
      </Fact>
      {namesakeCount > 0 && (
        <Fact name="Similar names">
          <Namesakes mark={mark} />
        </Fact>
      )}
      {representedBy && (
        <Fact name="Represented by">
          <ReferencedMark mark={representedBy} /> <span className="quiet">as its admin states</span>
        </Fact>
      )}
    </>
  );
}

/** Its ASCII form, in which no letter imitates another. */
function DomainName({ domain }: Pick<VerifiedDomain, 'domain'>) {
  return (
    <span className="domain tone-good" title="The owner of this domain names the Mark.">
      <Icon name="check" />
      <span className="visually-hidden">Verified domain </span>
      {domain}
    </span>
  );
}

const methodNames = { dns: 'DNS record', file: 'file on its website' } as const;

/** Verified now. */
function DomainLine({ domain, method, since, lastChecked }: VerifiedDomain) {
  return (
    <span className="domain-line">
      <DomainName domain={domain} />
      <span className="quiet">
        {methodNames[method]}, verified since <Timestamp at={since} isDayOnly />, last checked{' '}
        <Timestamp at={lastChecked} isDayOnly />
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
    <QueryView query={useQuery(load)} what="Marks">
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
  return (
    <>
      <MarkLink mark={{ ...registered, id: mark.id }} />
      {'name' in mark && mark.name !== registered.name && (
        <>
          {' '}
          (now called <bdi>{mark.name}</bdi>)
        </>
      )}
    </>
  );
}
