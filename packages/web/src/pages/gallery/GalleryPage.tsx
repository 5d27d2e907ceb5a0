// The public Marks, searched by name.

import type { GalleryMark } from '@provenance-registry/core';
import { type ChangeEvent, type FormEvent, useCallback, useEffect, useState } from 'react';
import { useService } from '../../registryClient.js';
import { Link, navigate, useAddress, useTitle } from '../../routing.js';
import { Field } from '../../ui/Field.js';
import { LongList } from '../../ui/LongList.js';
import { pageSize } from '../../ui/pagedList.js';
import { Time } from '../../ui/Timestamp.js';
import './gallery.css';

/** Between two letters, by most people who type. */
const TYPING_MS = 250;
/** What the service takes. */
const MAX_QUERY = 120;

export function GalleryPage() {
  useTitle('Gallery');
  const { searchParams } = useAddress();
  const query = (searchParams.get('query') ?? '').slice(0, MAX_QUERY);
  return (
    <>
      <h1>Gallery</h1>
      <p className="lead">The public Marks: identities under which people and organizations register what they make.</p>
      <Search query={query} />
      <Marks key={query} query={query} />
    </>
  );
}

/** The address has what is searched for: a reload and the back button keep it. */
function Search({ query }: { readonly query: string }) {
  const [text, setText] = useState(query);
  const [sent, setSent] = useState(query);
  // Somebody has gone back: the field follows.
  if (sent !== query) {
    setSent(query);
    setText(query);
  }
  useEffect(() => {
    if (text.trim() === query) return;
    const timer = setTimeout(() => search(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, query]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    search(text);
  };
  const change = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => setText(currentTarget.value);
  return (
    <search>
      <form onSubmit={submit} className="gallery-search">
        <Field label="Search by name">
          {(connections) => (
            <input {...connections} type="search" value={text} maxLength={MAX_QUERY} onChange={change} />
          )}
        </Field>
      </form>
    </search>
  );
}

function search(text: string): void {
  const asked = text.trim();
  const address = asked === '' ? '/gallery' : `/gallery?${new URLSearchParams({ query: asked })}`;
  // Somebody may have left in the meantime.
  if (location.pathname === '/gallery') navigate(address, { replace: true });
}

function Marks({ query }: { readonly query: string }) {
  const service = useService();
  const load = useCallback(
    async (cursor: string | undefined, signal: AbortSignal) => {
      const { marks, nextCursor } = await service.listGallery(
        { query: query || undefined, limit: pageSize(cursor), cursor },
        { signal },
      );
      return { items: marks, nextCursor };
    },
    [service, query],
  );
  return (
    <section aria-label="Marks">
      <LongList
        load={load}
        keyOf={({ id }) => id}
        row={(mark) => <Row mark={mark} />}
        what="Marks"
        empty={
          <p role="status">{query === '' ? 'There is no public Mark yet.' : 'No public Mark has that in its name.'}</p>
        }
      />
    </section>
  );
}

function Row({ mark: { id, name, owner, organization, admin, license, createdAt } }: { readonly mark: GalleryMark }) {
  return (
    <Link to={`/marks/${id}`} className="entry entry-plain">
      <span className="entry-words">
        <span className="entry-name">
          <bdi>{name}</bdi>
        </span>
        <span className="entry-more">
          <bdi>{(organization ?? owner ?? admin).name}</bdi> · {license.name} · since <Time at={createdAt} isDayOnly />
        </span>
      </span>
    </Link>
  );
}
