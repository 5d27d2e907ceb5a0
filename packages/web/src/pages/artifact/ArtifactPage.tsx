// The public page of an Artifact.

import { type Artifact, artifactTitle, type Fingerprint, isFingerprint, kindNames } from '@provenance-registry/core';
import { useCallback } from 'preact/compat';
import { hasErrorCode } from '../../errorMessages.js';
import { readArtifact } from '../../publicReads.js';
import { useRegistryClient } from '../../registryClient.js';
import { useTitle } from '../../routing.js';
import { ArtifactFacts, describeRecord, Proof } from '../../ui/ArtifactFacts.js';
import { buttonClass } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { ClaimsNotice } from '../../ui/ClaimsNotice.js';
import { Fact } from '../../ui/Fact.js';
import { FingerprintText, shortenFingerprint } from '../../ui/FingerprintText.js';
import { formatSize } from '../../ui/format.js';
import { Icon } from '../../ui/Icon.js';
import { Link } from '../../ui/Link.js';
import { Notice } from '../../ui/Notice.js';
import { QueryView, useQuery } from '../../ui/query.js';
import { RecordLayout } from '../../ui/Randomart.js';
import { RegisterHint } from '../../ui/RegisterHint.js';
import { contestedDisplay, statusDisplay } from '../../ui/StatusBadge.js';
import { describeSourceType, toSentenceCase } from '../../ui/sourceTypes.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { isAwaitingChain, useLiveArtifact } from '../../ui/useLiveArtifact.js';
import { useUserId } from '../../ui/useUserId.js';
import { NotFoundPage } from '../NotFoundPage.js';
import { ArtifactClaims } from './ArtifactClaims.js';
import { ContentVisibility } from './ContentVisibility.js';
import { ShareCard } from './ShareCard.js';
import { SignedCopies } from './SignedCopies.js';
import './artifact.css';

export function ArtifactPage({ fingerprint }: { readonly fingerprint: string }) {
  return isFingerprint(fingerprint) ? <ArtifactLoader key={fingerprint} fingerprint={fingerprint} /> : <NotFoundPage />;
}

function ArtifactLoader({ fingerprint }: { readonly fingerprint: Fingerprint }) {
  const client = useRegistryClient();
  const load = useCallback(
    (signal: AbortSignal) => readArtifact(client, { fingerprint }, { signal }),
    [client, fingerprint],
  );
  const query = useQuery(load);
  const value = useLiveArtifact(query.value);
  useTitle(value && artifactTitle(value));
  if (hasErrorCode(query.error, 'NOT_FOUND')) return <UnknownFingerprint fingerprint={fingerprint} />;
  return (
    <QueryView query={{ ...query, value }} what="Artifact">
      {(artifact) => <ArtifactView artifact={artifact} requested={fingerprint} onChanged={query.reload} />}
    </QueryView>
  );
}

interface ArtifactViewProps {
  readonly artifact: Artifact;
  /** The fingerprint in the address: of the file or of one of its signed copies. */
  readonly requested: Fingerprint;
  readonly onChanged: () => void;
}

function ArtifactView({ artifact, requested, onChanged }: ArtifactViewProps) {
  const { fingerprint, metadata, status } = artifact;
  const isRegistered = status !== 'failed';
  const userId = useUserId();
  return (
    <article className="stack">
      <header>
        <p className="eyebrow">Artifact</p>
        <h1 className="long-name">
          {metadata.filename === undefined ? kindNames[metadata.kind] : <bdi>{metadata.filename}</bdi>}
        </h1>
        {isRegistered && <Headline artifact={artifact} />}
      </header>
      {requested !== fingerprint && <CopyNotice artifact={artifact} requested={requested} />}
      {status === 'failed' && <FailureNotice artifact={artifact} />}
      {isRegistered && (
        <ClaimsNotice artifact={artifact}>
          <a href="#claims">Read the claims</a>
        </ClaimsNotice>
      )}
      <Card>
        <RecordLayout fingerprint={fingerprint}>
          <dl className="facts">
            <ArtifactFacts artifact={artifact} />
            <FileFacts artifact={artifact} />
          </dl>
          {isAwaitingChain(artifact) && <p className="quiet">This page updates automatically.</p>}
          {isRegistered && <Proof {...describeRecord(artifact)} />}
          <p className="row">
            <Link to={`/?fingerprint=${fingerprint}`} className={buttonClass('primary')}>
              Verify independently
            </Link>
            <span className="quiet">with the chain and the signed manifest</span>
          </p>
        </RecordLayout>
      </Card>
      <Downloads artifact={artifact} />
      {isRegistered && <SignedCopies artifact={artifact} fingerprint={requested} onCreated={onChanged} />}
      {isRegistered && <ContentVisibility artifact={artifact} userId={userId} onChanged={onChanged} />}
      {isRegistered && <ShareCard artifact={artifact} />}
      {isRegistered && <ArtifactClaims artifact={artifact} userId={userId} onChanged={onChanged} />}
    </article>
  );
}

/** The facts below are those of the registered file. */
function CopyNotice({ artifact, requested }: Pick<ArtifactViewProps, 'artifact' | 'requested'>) {
  const { fingerprint, metadata } = artifact;
  const original = (
    <Link to={`/artifacts/${fingerprint}`}>
      {metadata.filename === undefined ? shortenFingerprint(fingerprint) : <bdi>{metadata.filename}</bdi>}
    </Link>
  );
  return (
    <Notice tone="info" title={<>This is a signed copy of {original}</>}>
      <p>
        The address has the fingerprint of a copy that this service signed: <code>{shortenFingerprint(requested)}</code>
        . This page is about the registered file.
      </p>
    </Notice>
  );
}

/** The name at registration: the present one is among the facts. */
function Headline({
  artifact: {
    metadata: { mark },
    createdAt,
    status,
    claims: { contested },
  },
}: {
  readonly artifact: Artifact;
}) {
  const { tone, icon } = contested ? contestedDisplay : statusDisplay[status];
  return (
    <p className={`headline tone-${tone}`}>
      <Icon name={icon} />
      <span>
        Registered under{' '}
        {mark ? (
          <>
            the Mark <bdi>{mark.name}</bdi>
          </>
        ) : (
          'a private Mark'
        )}{' '}
        since <Timestamp at={createdAt} isDayOnly />
        {contested && ', contested'}, according to this service
      </span>
    </p>
  );
}

function FileFacts({ artifact: { fingerprint, metadata, transactionHash } }: { readonly artifact: Artifact }) {
  const { kind, mediaType, size, lastModified, previousFingerprint, digitalSourceType } = metadata;
  const typeParts = [kindNames[kind], mediaType, size === undefined || size === null ? undefined : formatSize(size)];
  return (
    <>
      <Fact name="File type">
        <bdi>{typeParts.filter((part) => part).join(', ')}</bdi>
      </Fact>
      {lastModified !== undefined && (
        <Fact name="Last modified">
          <Timestamp at={lastModified} />, as stated by the registrant
        </Fact>
      )}
      {digitalSourceType !== undefined && (
        <Fact name="How it was made">
          {toSentenceCase(describeSourceType(digitalSourceType))}, as stated by the registrant
        </Fact>
      )}
      {previousFingerprint !== undefined && (
        <Fact name="Previous version">
          <Link to={`/artifacts/${previousFingerprint}`}>
            <code>{shortenFingerprint(previousFingerprint)}</code>
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

function FailureNotice({ artifact: { errorReason, fingerprint } }: { readonly artifact: Artifact }) {
  return (
    <Notice tone="bad" title="This file is not registered">
      <p>
        The registration could not be written to the chain. Its maker can{' '}
        <Link to={`/dashboard/register#fingerprint=${fingerprint}`}>register it again</Link>.
      </p>
      {errorReason !== null && (
        <p>
          Reason: <bdi>{errorReason}</bdi>
        </p>
      )}
    </Notice>
  );
}

function Downloads({ artifact: { id, c2paAssets } }: { readonly artifact: Artifact }) {
  const { manifestUrl, manifestBinaryUrl, signedAssetUrl } = c2paAssets;
  const downloads = [
    [manifestUrl, `${id}.json`, 'Report', 'validation report of the manifest (JSON)'],
    [manifestBinaryUrl, `${id}.c2pa`, 'Signed manifest', 'sidecar file for C2PA tools'],
    [signedAssetUrl, `${id}.png`, 'Card', 'signed image of the fingerprint'],
  ] as const;
  return (
    <Card title="Downloads">
      <div className="downloads">
        <ul className="stack">
          {downloads.map(([url, name, label, description]) => (
            <li key={url}>
              <a href={url} download={name}>
                {label}
              </a>
              <span className="quiet"> {description}</span>
            </li>
          ))}
        </ul>
        <img
          src={signedAssetUrl}
          width={600}
          height={400}
          alt="Card with the randomart and digits of the fingerprint"
        />
      </div>
      <p className="quiet">The file itself is not available here.</p>
    </Card>
  );
}

function UnknownFingerprint({ fingerprint }: { readonly fingerprint: Fingerprint }) {
  useTitle('No file with this fingerprint is registered here');
  return (
    <div className="stack">
      <h1>Not registered here</h1>
      <p className="lead">No file with this fingerprint is registered with this service.</p>
      <Card>
        <RecordLayout fingerprint={fingerprint} hasCaption={false}>
          <dl className="facts">
            <Fact name="Fingerprint">
              <FingerprintText fingerprint={fingerprint} />
            </Fact>
          </dl>
          <p>The file may be registered elsewhere. A copy that differs by a single byte has a different fingerprint.</p>
          <p className="row">
            <Link to={`/?fingerprint=${fingerprint}`} className={buttonClass('primary')}>
              Check the chain
            </Link>
          </p>
          <RegisterHint fields={{ fingerprint }} />
        </RecordLayout>
      </Card>
    </div>
  );
}
