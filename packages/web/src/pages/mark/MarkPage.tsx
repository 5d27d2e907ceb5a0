// The public page of a Mark, with its Artifacts.

import { type Artifact, type GalleryMark, isUuid, kindNames, markTitle } from '@provenance-registry/core';
import { useCallback } from 'preact/compat';
import { hasErrorCode } from '../../errorMessages.js';
import { readArtifacts, readMark } from '../../publicReads.js';
import { useRegistryClient } from '../../registryClient.js';
import { useTitle } from '../../routing.js';
import { useToken } from '../../session.js';
import { AiPreferenceLines } from '../../ui/AiPreferenceLines.js';
import { buttonClass } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { ClosedMarkNotice } from '../../ui/ClosedMark.js';
import { Fact } from '../../ui/Fact.js';
import { Icon } from '../../ui/Icon.js';
import { ExternalLink, Link } from '../../ui/Link.js';
import { LongList } from '../../ui/LongList.js';
import { MarkIdentityFacts } from '../../ui/MarkIdentity.js';
import { pageSize } from '../../ui/pagedList.js';
import { QueryView, useQuery } from '../../ui/query.js';
import { RandomartThumbnail } from '../../ui/Randomart.js';
import { StatusBadge } from '../../ui/StatusBadge.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { NotFoundPage } from '../NotFoundPage.js';
import { PreferenceHistory } from './PreferenceHistory.js';

export function MarkPage({ markId }: { readonly markId: string }) {
  return isUuid(markId) ? <MarkLoader key={markId} markId={markId} /> : <NotFoundPage />;
}

function MarkLoader({ markId }: { readonly markId: string }) {
  const client = useRegistryClient();
  const load = useCallback((signal: AbortSignal) => readMark(client, { markId }, { signal }), [client, markId]);
  const query = useQuery(load);
  useTitle(query.value && markTitle(query.value));
  if (hasErrorCode(query.error, 'NOT_FOUND')) return <NotFoundPage />;
  if (hasErrorCode(query.error, 'FORBIDDEN')) return <PrivateMark />;
  return (
    <QueryView query={query} what="Mark">
      {(mark) => <MarkView mark={mark} />}
    </QueryView>
  );
}

function PrivateMark() {
  const isLoggedIn = useToken() !== undefined;
  useTitle('This Mark is private');
  return (
    <>
      <h1>This Mark is private</h1>
      <p className="lead">Its name and Artifacts are visible to members only.</p>
      {!isLoggedIn && (
        <Link to="/login" className={buttonClass('primary')}>
          Log in
        </Link>
      )}
    </>
  );
}

function MarkView({ mark }: { readonly mark: GalleryMark }) {
  const { admin, owner, organization, license, aiPreferences, visibility, isClosed } = mark;
  const client = useRegistryClient();
  const load = useCallback(
    async (cursor: string | undefined, signal: AbortSignal) => {
      const input = { markId: mark.id, limit: pageSize(cursor), cursor };
      const { artifacts, nextCursor } = await readArtifacts(client, input, { signal });
      return { items: artifacts, nextCursor };
    },
    [client, mark.id],
  );
  return (
    <div className="stack">
      <header>
        <p className="eyebrow">Mark</p>
        <h1 className="long-name">
          <bdi>{mark.name}</bdi>
        </h1>
      </header>
      {isClosed && <ClosedMarkNotice />}
      <Card>
        <dl className="facts">
          <MarkIdentityFacts mark={mark} />
          <Fact name={organization ? 'Organization' : 'Owner'}>
            <bdi>{(organization ?? owner ?? admin).name}</bdi>
          </Fact>
          {visibility === 'private' && (
            <Fact name="Visibility">
              <Icon name="lock" /> Private: only members can see this page.
            </Fact>
          )}
          <Fact name="License">
            {license.url ? <ExternalLink href={license.url}>{license.name}</ExternalLink> : license.name}
          </Fact>
          <Fact name="AI preference">
            <AiPreferenceLines preferences={aiPreferences} />
            {visibility === 'public' && <PreferenceHistory markId={mark.id} />}
          </Fact>
        </dl>
      </Card>
      <section aria-labelledby="artifacts" className="artifacts">
        <h2 id="artifacts">Artifacts</h2>
        <LongList
          load={load}
          keyOf={({ id }) => id}
          row={(artifact) => <ArtifactRow artifact={artifact} />}
          what="Artifacts"
          empty={<p>No files are registered under this Mark yet.</p>}
        />
      </section>
    </div>
  );
}

function ArtifactRow({ artifact: { fingerprint, metadata, createdAt, status } }: { readonly artifact: Artifact }) {
  return (
    <Link to={`/artifacts/${fingerprint}`} className="entry">
      <RandomartThumbnail fingerprint={fingerprint} />
      <span className="entry-text">
        <span className="entry-name">
          <bdi>{metadata.filename ?? kindNames[metadata.kind]}</bdi>
        </span>
        <span className="entry-details">
          <Timestamp at={createdAt} />
        </span>
      </span>
      <StatusBadge status={status} />
    </Link>
  );
}
