// All public Marks, with search by name.

import type { GalleryMark } from '@provenance-registry/core';
import { type ChangeEvent, type FormEvent, useCallback, useEffect, useState } from 'preact/compat';
import * as texts from '#texts/marks/gallery';
import { useRegistryClient } from '../../registryClient.js';
import { navigate, useCurrentUrl, useTitle } from '../../routing.js';
import { Notice } from '../../ui/feedback/Notice.js';
import { buttonClass } from '../../ui/form/Button.js';
import { Field } from '../../ui/form/Field.js';
import * as basics from '../../ui/layout/basics.module.css';
import { LongList } from '../../ui/list/LongList.js';
import * as longListStyles from '../../ui/list/LongList.module.css';
import { pageSize } from '../../ui/list/pagedList.js';
import { MarkIdentityLine } from '../../ui/mark/MarkIdentityLine.js';
import { Link } from '../../ui/text/Link.js';
import * as styles from './GalleryPage.module.css';

/** Longer than the pause between two keystrokes. */
const SEARCH_DELAY_MS = 250;
/** The limit of the API. */
const MAX_QUERY_LENGTH = 120;

export function GalleryPage() {
  useTitle(texts.title);
  const { searchParams } = useCurrentUrl();
  const query = (searchParams.get('query') ?? '').slice(0, MAX_QUERY_LENGTH);
  return (
    <>
      <h1>{texts.title}</h1>
      <p className={basics.lead}>{texts.lead}</p>
      <Search query={query} />
      <Marks key={query} query={query} />
    </>
  );
}

/** The query is in the address, so that a reload and the back button keep it. */
function Search({ query }: { readonly query: string }) {
  const [text, setText] = useState(query);
  const [lastQuery, setLastQuery] = useState(query);
  // The address changed by the back or forward button.
  if (lastQuery !== query) {
    setLastQuery(query);
    setText(query);
  }
  useEffect(() => {
    if (text.trim() === query) return;
    const timer = setTimeout(() => search(text), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [text, query]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    search(text);
  };
  const change = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => setText(currentTarget.value);
  return (
    <search>
      <form onSubmit={submit} className={styles.search}>
        <Field label={texts.searchLabel}>
          {(inputProps) => (
            <input {...inputProps} type="search" value={text} maxLength={MAX_QUERY_LENGTH} onChange={change} />
          )}
        </Field>
      </form>
    </search>
  );
}

function search(text: string): void {
  const query = text.trim();
  const address = query === '' ? '/gallery' : `/gallery?${new URLSearchParams({ query })}`;
  // The user may have left the gallery in the meantime.
  if (location.pathname === '/gallery') navigate(address, { replace: true });
}

function Marks({ query }: { readonly query: string }) {
  const client = useRegistryClient();
  const load = useCallback(
    async (cursor: string | undefined, signal: AbortSignal) => {
      const { marks, nextCursor } = await client.listGallery(
        { query: query || undefined, limit: pageSize(cursor), cursor },
        { signal },
      );
      return { items: marks, nextCursor };
    },
    [client, query],
  );
  return (
    <section aria-label={texts.marks}>
      <LongList
        load={load}
        keyOf={({ id }) => id}
        row={(mark) => <MarkRow mark={mark} />}
        what={texts.marks}
        empty={query === '' ? <EmptyGallery /> : <p role="status">{texts.hasNoMatch}</p>}
      />
    </section>
  );
}

function EmptyGallery() {
  const { hasCredential } = useRegistryClient();
  return (
    <Notice
      title={texts.isEmpty}
      actions={
        <>
          <Link to={hasCredential ? '/dashboard' : '/signup'} className={buttonClass('primary')}>
            {hasCredential ? texts.createMark : texts.signUp}
          </Link>
          <Link to="/how-it-works#mark" className={buttonClass()}>
            {texts.aboutMarks}
          </Link>
        </>
      }
    >
      <p role="status">{texts.isEmptyText}</p>
    </Notice>
  );
}

function MarkRow({ mark }: { readonly mark: GalleryMark }) {
  const { id, name, owner, organization, admin, license } = mark;
  return (
    <Link to={`/marks/${id}`} className={`${longListStyles.entry} ${styles.plain}`}>
      <span className={longListStyles.text}>
        <span className={longListStyles.name}>
          <bdi>{name}</bdi>
        </span>
        <span className={longListStyles.details}>
          <MarkIdentityLine mark={mark} />
          <bdi>{(organization ?? owner ?? admin).name}</bdi> · {license.name}
        </span>
      </span>
    </Link>
  );
}
