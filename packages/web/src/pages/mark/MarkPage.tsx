// The public page of a Mark, with its Artifacts.

import { type Artifact, type GalleryMark, isUuid, kindNames, markTitle } from '@provenance-registry/core';
import { useCallback } from 'preact/compat';
import * as texts from '#texts/marks/mark';
import { hasErrorCode } from '../../errorMessages.js';
import { readArtifacts, readMark } from '../../publicReads.js';
import { useRegistryClient } from '../../registryClient.js';
import { useTitle } from '../../routing.js';
import { useToken } from '../../session.js';
import { RandomartThumbnail } from '../../ui/artifact/Randomart.js';
import { AiPreferenceLines } from '../../ui/facts/AiPreferenceLines.js';
import { Fact } from '../../ui/facts/Fact.js';
import * as factStyles from '../../ui/facts/Fact.module.css';
import { QueryView, useQuery } from '../../ui/feedback/query.js';
import { StatusBadge } from '../../ui/feedback/StatusBadge.js';
import { FileName } from '../../ui/file/FileName.js';
import { buttonClass } from '../../ui/form/Button.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Card } from '../../ui/layout/Card.js';
import { LongList } from '../../ui/list/LongList.js';
import * as longListStyles from '../../ui/list/LongList.module.css';
import { pageSize } from '../../ui/list/pagedList.js';
import { ClosedMarkNotice } from '../../ui/mark/ClosedMark.js';
import { MarkIdentityFacts } from '../../ui/mark/MarkIdentity.js';
import { CopyableCode } from '../../ui/text/CopyableCode.js';
import { Icon } from '../../ui/text/Icon.js';
import { ExternalLink, Link } from '../../ui/text/Link.js';
import { Timestamp } from '../../ui/text/Timestamp.js';
import { NotFoundPage } from '../NotFoundPage.js';
import * as styles from './MarkPage.module.css';
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
    <QueryView query={query} what={texts.mark}>
      {(mark) => <MarkView mark={mark} />}
    </QueryView>
  );
}

function PrivateMark() {
  const isLoggedIn = useToken() !== undefined;
  useTitle(texts.privateTitle);
  return (
    <>
      <h1>{texts.privateTitle}</h1>
      <p className={basics.lead}>{texts.privateText}</p>
      {!isLoggedIn && (
        <Link to="/login" className={buttonClass('primary')}>
          {texts.logIn}
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
    <div className={basics.stack}>
      <header>
        <p className={basics.eyebrow}>{texts.mark}</p>
        <h1>
          <bdi>{mark.name}</bdi>
        </h1>
      </header>
      {isClosed && <ClosedMarkNotice />}
      <Card>
        <dl className={factStyles.facts}>
          <MarkIdentityFacts mark={mark} />
          <Fact name={organization ? texts.organization : texts.owner}>
            <bdi>{(organization ?? owner ?? admin).name}</bdi>
          </Fact>
          {visibility === 'private' && (
            <Fact name={texts.visibility}>
              <Icon name="lock" /> {texts.onlyMembers}
            </Fact>
          )}
          <Fact name={texts.license}>
            {license.url ? <ExternalLink href={license.url}>{license.name}</ExternalLink> : license.name}
          </Fact>
          <Fact name={texts.aiPreference}>
            <AiPreferenceLines preferences={aiPreferences} />
            {visibility === 'public' && <PreferenceHistory markId={mark.id} />}
          </Fact>
          <Fact name={texts.markId}>
            <CopyableCode text={mark.id} what={texts.copyMarkId} />
          </Fact>
        </dl>
      </Card>
      <section aria-labelledby="artifacts" className={styles.artifacts}>
        <h2 id="artifacts">{texts.artifacts}</h2>
        <LongList
          load={load}
          keyOf={({ id }) => id}
          row={(artifact) => <ArtifactRow artifact={artifact} />}
          what={texts.artifacts}
          empty={<p>{texts.isEmpty}</p>}
        />
      </section>
    </div>
  );
}

function ArtifactRow({ artifact: { fingerprint, metadata, createdAt, status } }: { readonly artifact: Artifact }) {
  return (
    <Link to={`/artifacts/${fingerprint}`} className={longListStyles.entry}>
      <RandomartThumbnail fingerprint={fingerprint} />
      <span className={longListStyles.text}>
        <span className={longListStyles.name}>
          {metadata.filename === undefined ? kindNames[metadata.kind] : <FileName name={metadata.filename} />}
        </span>
        <span className={longListStyles.details}>
          <Timestamp at={createdAt} />
        </span>
      </span>
      <StatusBadge status={status} />
    </Link>
  );
}
