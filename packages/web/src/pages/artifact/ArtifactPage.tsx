// An Artifact: the link that people share.

import { type Artifact, artifactTitle, type Fingerprint, isFingerprint, kindNames } from '@provenance-registry/core';
import { hasCode } from '../../registryClient.js';
import { Link, useTitle } from '../../routing.js';
import { ArtifactFacts, Fact, Meaning, meaningOfRecord } from '../../ui/ArtifactFacts.js';
import { buttonClass } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { FingerprintText, shortened } from '../../ui/FingerprintText.js';
import { sizeOf } from '../../ui/format.js';
import { Icon } from '../../ui/Icon.js';
import { Notice } from '../../ui/Notice.js';
import { Loading } from '../../ui/QueryView.js';
import { Bishop } from '../../ui/Randomart.js';
import { statusLooks } from '../../ui/StatusBadge.js';
import { Time } from '../../ui/Timestamp.js';
import { isOnItsWay } from '../../ui/useLiveArtifact.js';
import { NotFoundPage } from '../NotFoundPage.js';
import { useLiveArtifact } from './live.js';
import { Sharing } from './ShareCard.js';
import './artifact.css';

export function ArtifactPage({ fingerprint }: { readonly fingerprint: string }) {
  return isFingerprint(fingerprint) ? <KnownForm key={fingerprint} fingerprint={fingerprint} /> : <NotFoundPage />;
}

function KnownForm({ fingerprint }: { readonly fingerprint: Fingerprint }) {
  const loaded = useLiveArtifact(fingerprint);
  const isUnknown = hasCode(loaded.error, 'NOT_FOUND');
  useTitle(titleOf(loaded.value, isUnknown));
  if (isUnknown) return <Unknown fingerprint={fingerprint} />;
  return (
    <Loading of={loaded} what="the Artifact">
      {(artifact) => <Shown artifact={artifact} />}
    </Loading>
  );
}

function titleOf(artifact: Artifact | undefined, isUnknown: boolean): string | undefined {
  if (isUnknown) return 'No file with this fingerprint is registered here';
  return artifact && artifactTitle(artifact);
}

function Shown({ artifact }: { readonly artifact: Artifact }) {
  const { fingerprint, metadata, status } = artifact;
  const isRegistered = status !== 'failed';
  return (
    <article className="artifact stack">
      <header>
        <p className="eyebrow">Artifact</p>
        <h1 className="long-name">
          {metadata.filename === undefined ? kindNames[metadata.kind] : <bdi>{metadata.filename}</bdi>}
        </h1>
        {isRegistered && <Headline artifact={artifact} />}
      </header>
      {status === 'failed' && <Failed artifact={artifact} />}
      <Card>
        <div className="answer-body">
          <div className="stack">
            <dl className="facts">
              <ArtifactFacts artifact={artifact} />
              <MoreFacts artifact={artifact} />
            </dl>
            {isOnItsWay(artifact) && <p className="quiet">This page follows it: there is no need to reload.</p>}
            {isRegistered && <Meaning {...meaningOfRecord(artifact)} />}
            <p className="row">
              <Link to={`/?fingerprint=${fingerprint}`} className={buttonClass('primary')}>
                Check it yourself
              </Link>
              <span className="quiet">by the chain and the signed manifest</span>
            </p>
          </div>
          <figure className="answer-face">
            <Bishop fingerprint={fingerprint} />
            <figcaption>The face of this fingerprint: the same file always has the same.</figcaption>
          </figure>
        </div>
      </Card>
      <Downloads artifact={artifact} />
      {isRegistered && <Sharing artifact={artifact} />}
    </article>
  );
}

function Headline({ artifact: { mark, createdAt, status } }: { readonly artifact: Artifact }) {
  const { tone, icon } = statusLooks[status];
  return (
    <p className={`headline tone-${tone}`}>
      <Icon name={icon} />
      <span>
        Registered under{' '}
        {'name' in mark ? (
          <>
            the Mark <bdi>{mark.name}</bdi>
          </>
        ) : (
          'a private Mark'
        )}{' '}
        since <Time at={createdAt} isDayOnly />
      </span>
    </p>
  );
}

function MoreFacts({ artifact: { fingerprint, metadata, transactionHash } }: { readonly artifact: Artifact }) {
  const { kind, mediaType, size, lastModified, previousFingerprint } = metadata;
  const what = [kindNames[kind], mediaType, size === undefined || size === null ? undefined : sizeOf(size)];
  return (
    <>
      <Fact name="What it is">
        <bdi>{what.filter((part) => part).join(', ')}</bdi>
      </Fact>
      {lastModified !== undefined && (
        <Fact name="Last changed">
          <Time at={lastModified} />, as its author says
        </Fact>
      )}
      {previousFingerprint !== undefined && (
        <Fact name="Earlier version">
          <Link to={`/artifacts/${previousFingerprint}`}>
            <code>{shortened(previousFingerprint)}</code>
          </Link>
        </Fact>
      )}
      {transactionHash !== null && (
        <Fact name="Transaction">
          <code>{transactionHash}</code>
        </Fact>
      )}
      <Fact name="Fingerprint">
        <FingerprintText fingerprint={fingerprint} />
      </Fact>
    </>
  );
}

function Failed({ artifact: { errorReason, fingerprint } }: { readonly artifact: Artifact }) {
  return (
    <Notice
      tone="bad"
      title="This file is not registered"
      actions={
        <Link to={`/dashboard/register#fingerprint=${fingerprint}`} className={buttonClass()}>
          Register it again
        </Link>
      }
    >
      <p>Writing it to the chain failed for good. Anyone may register the file now.</p>
      {errorReason !== null && (
        <p>
          The reason: <bdi>{errorReason}</bdi>
        </p>
      )}
    </Notice>
  );
}

function Downloads({ artifact: { id, c2paAssets } }: { readonly artifact: Artifact }) {
  const { manifestUrl, manifestBinaryUrl, signedAssetUrl } = c2paAssets;
  return (
    <Card title="Files">
      <div className="downloads">
        <ul className="stack">
          <Download
            url={manifestUrl}
            name={`${id}.json`}
            label="Report"
            what="what checking the manifest found (JSON)"
          />
          <Download
            url={manifestBinaryUrl}
            name={`${id}.c2pa`}
            label="Signed manifest"
            what="the sidecar that C2PA tools read beside the file"
          />
          <Download url={signedAssetUrl} name={`${id}.png`} label="Card" what="a signed picture of the fingerprint" />
        </ul>
        <img src={signedAssetUrl} width={600} height={400} alt="The card: the face and the digits of the fingerprint" />
      </div>
      <p className="quiet">The file itself is not here: it never had to leave its author’s machine.</p>
    </Card>
  );
}

interface DownloadProps {
  readonly url: string;
  readonly name: string;
  readonly label: string;
  readonly what: string;
}

function Download({ url, name, label, what }: DownloadProps) {
  return (
    <li>
      <a href={url} download={name}>
        {label}
      </a>
      <span className="quiet"> {what}</span>
    </li>
  );
}

function Unknown({ fingerprint }: { readonly fingerprint: Fingerprint }) {
  return (
    <div className="stack">
      <h1>Not registered here</h1>
      <p className="lead">No file with this fingerprint is registered with this service.</p>
      <Card>
        <div className="answer-body">
          <div className="stack">
            <dl className="facts">
              <Fact name="Fingerprint">
                <FingerprintText fingerprint={fingerprint} />
              </Fact>
            </dl>
            <p>
              That is no proof that nobody made the file before, or registered it elsewhere. A copy that differs by a
              single byte has another fingerprint.
            </p>
            <p className="row">
              <Link to={`/dashboard/register#fingerprint=${fingerprint}`} className={buttonClass('primary')}>
                Register it under your Mark
              </Link>
              <Link to={`/?fingerprint=${fingerprint}`} className={buttonClass()}>
                Ask the chain as well
              </Link>
            </p>
          </div>
          <figure className="answer-face">
            <Bishop fingerprint={fingerprint} />
          </figure>
        </div>
      </Card>
    </div>
  );
}
