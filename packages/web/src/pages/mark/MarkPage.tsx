// A Mark and its Artifacts.

import {
  type Artifact,
  describeAiPreference,
  formatName,
  type GalleryMark,
  isUuid,
  kindNames,
} from '@provenance-registry/core';
import { useCallback } from 'react';
import { readArtifacts, readMark } from '../../publicReads.js';
import { hasCode, useService } from '../../registryClient.js';
import { Link, useTitle } from '../../routing.js';
import { useToken } from '../../session.js';
import { Fact } from '../../ui/ArtifactFacts.js';
import { buttonClass } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { WebLink } from '../../ui/ExternalLink.js';
import { Icon } from '../../ui/Icon.js';
import { LongList } from '../../ui/LongList.js';
import { pageSize } from '../../ui/pagedList.js';
import { Loading, useLoaded } from '../../ui/QueryView.js';
import { BishopThumb } from '../../ui/RandomartThumbnail.js';
import { StatusMark } from '../../ui/StatusBadge.js';
import { Time } from '../../ui/Timestamp.js';
import { NotFoundPage } from '../NotFoundPage.js';

export function MarkPage({ markId }: { readonly markId: string }) {
  return isUuid(markId) ? <KnownForm key={markId} markId={markId} /> : <NotFoundPage />;
}

function KnownForm({ markId }: { readonly markId: string }) {
  const service = useService();
  const load = useCallback((signal: AbortSignal) => readMark(service, markId, { signal }), [service, markId]);
  const loaded = useLoaded(load);
  useTitle(loaded.value && formatName(loaded.value.name));
  if (hasCode(loaded.error, 'NOT_FOUND')) return <NotFoundPage />;
  if (hasCode(loaded.error, 'FORBIDDEN')) return <PrivateMark />;
  return (
    <Loading of={loaded} what="the Mark">
      {(mark) => <Shown mark={mark} />}
    </Loading>
  );
}

function PrivateMark() {
  const isLoggedIn = useToken() !== undefined;
  useTitle('This Mark is private');
  return (
    <>
      <h1>This Mark is private</h1>
      <p className="lead">Its name and its Artifacts are shown to its members only.</p>
      {!isLoggedIn && (
        <Link to="/login" className={buttonClass('primary')}>
          Log in, if you are one
        </Link>
      )}
    </>
  );
}

function Shown({ mark }: { readonly mark: GalleryMark }) {
  const service = useService();
  const load = useCallback(
    async (cursor: string | undefined, signal: AbortSignal) => {
      const asked = { markId: mark.id, limit: pageSize(cursor), cursor };
      const { artifacts, nextCursor } = await readArtifacts(service, asked, { signal });
      return { items: artifacts, nextCursor };
    },
    [service, mark.id],
  );
  return (
    <div className="stack">
      <header>
        <p className="eyebrow">Mark</p>
        <h1 className="long-name">
          <bdi>{mark.name}</bdi>
        </h1>
      </header>
      <Card>
        <dl className="facts">
          <MarkFacts mark={mark} />
        </dl>
      </Card>
      <section aria-labelledby="artifacts" className="artifacts">
        <h2 id="artifacts">Artifacts</h2>
        <LongList
          load={load}
          keyOf={({ id }) => id}
          row={(artifact) => <Row artifact={artifact} />}
          what="Artifacts"
          empty={<p>Nothing is registered under this Mark yet.</p>}
        />
      </section>
    </div>
  );
}

function MarkFacts({ mark }: { readonly mark: GalleryMark }) {
  const { admin, owner, organization, license, allowAiTraining, createdAt, visibility } = mark;
  return (
    <>
      <Fact name={organization ? 'Organization' : 'Owner'}>
        <bdi>{(organization ?? owner ?? admin).name}</bdi>
      </Fact>
      {visibility === 'private' && (
        <Fact name="Visibility">
          <Icon name="lock" /> Private: only its members see this page.
        </Fact>
      )}
      <Fact name="Licence">{license.url ? <WebLink href={license.url}>{license.name}</WebLink> : license.name}</Fact>
      <Fact name="AI training">{describeAiPreference(allowAiTraining)}</Fact>
      <Fact name="Since">
        <Time at={createdAt} isDayOnly />
      </Fact>
    </>
  );
}

function Row({ artifact: { fingerprint, metadata, createdAt, status } }: { readonly artifact: Artifact }) {
  return (
    <Link to={`/artifacts/${fingerprint}`} className="entry">
      <BishopThumb fingerprint={fingerprint} />
      <span className="entry-words">
        <span className="entry-name">
          <bdi>{metadata.filename ?? kindNames[metadata.kind]}</bdi>
        </span>
        <span className="entry-more">
          <Time at={createdAt} />
        </span>
      </span>
      <StatusMark status={status} />
    </Link>
  );
}
