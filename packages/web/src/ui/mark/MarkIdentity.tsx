// What tells a Mark from others with a similar name, in full.

import {
  describeNamesakes,
  type GalleryMark,
  NO_VERIFIED_IDENTITY,
  type VerifiedDomain,
} from '@provenance-registry/core';
import { useCallback, useState } from 'preact/compat';
import * as texts from '#texts/site/ui';
import { useRegistryClient } from '../../registryClient.js';
import { Fact } from '../facts/Fact.js';
import { QueryView, useQuery } from '../feedback/query.js';
import * as basics from '../layout/basics.module.css';
import { Timestamp } from '../text/Timestamp.js';
import * as styles from './MarkIdentity.module.css';
import { DomainName, MarkIdentityLine, MarkLink, type MarkReference } from './MarkIdentityLine.js';

interface MarkIdentityProps {
  readonly mark: GalleryMark;
}

/** Rows of a list of facts. */
export function MarkIdentityFacts({ mark }: MarkIdentityProps) {
  const { verifiedDomains, createdAt, artifactCount, namesakeCount, representedBy } = mark;
  return (
    <>
      <Fact name={texts.factNames.identity}>
        {verifiedDomains.length === 0 ? (
          <>
            {NO_VERIFIED_IDENTITY}. <span className={basics.quiet}>{texts.freeName}</span>
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
          <ReferencedMark mark={representedBy} /> <span className={basics.quiet}>{texts.asAdminStates}</span>
        </Fact>
      )}
    </>
  );
}

/** Verified now. */
function DomainLine({ domain, method, since, lastChecked }: VerifiedDomain) {
  return (
    <span className={styles.domainLine}>
      <DomainName domain={domain} />
      <span className={basics.quiet}>
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
    <details className={styles.namesakes} onToggle={() => setWasOpened(true)}>
      <summary data-tone="warn">{describeNamesakes(mark)}</summary>
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
        <ul className={`${basics.list} ${styles.list}`}>
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
