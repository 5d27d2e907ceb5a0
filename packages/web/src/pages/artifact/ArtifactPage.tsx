// The public page of an Artifact.

import { type Artifact, artifactTitle, type Fingerprint, isFingerprint, kindNames } from '@provenance-registry/core';
import { useCallback } from 'preact/compat';
import * as texts from '#texts/artifacts/artifact';
import { hasErrorCode } from '../../errorMessages.js';
import { readArtifact } from '../../publicReads.js';
import { useRegistryClient } from '../../registryClient.js';
import { useTitle } from '../../routing.js';
import { ArtifactFacts, describeRecord, Proof } from '../../ui/artifact/ArtifactFacts.js';
import { ClaimsNotice } from '../../ui/artifact/ClaimsNotice.js';
import { RecordLayout } from '../../ui/artifact/Randomart.js';
import { RegisterHint } from '../../ui/artifact/RegisterHint.js';
import { isAwaitingChain, useLiveArtifact } from '../../ui/artifact/useLiveArtifact.js';
import { Fact } from '../../ui/facts/Fact.js';
import * as factStyles from '../../ui/facts/Fact.module.css';
import { Notice } from '../../ui/feedback/Notice.js';
import { QueryView, useQuery } from '../../ui/feedback/query.js';
import { contestedDisplay, statusDisplay } from '../../ui/feedback/StatusBadge.js';
import { FileName } from '../../ui/file/FileName.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Card } from '../../ui/layout/Card.js';
import { PrintedFrom } from '../../ui/layout/PrintedFrom.js';
import { FingerprintText, ShortFingerprint } from '../../ui/text/FingerprintText.js';
import { Icon } from '../../ui/text/Icon.js';
import { Link } from '../../ui/text/Link.js';
import { Timestamp } from '../../ui/text/Timestamp.js';
import { useUserId } from '../../useUserId.js';
import { NotFoundPage } from '../NotFoundPage.js';
import { ArtifactClaims } from './ArtifactClaims.js';
import * as styles from './ArtifactPage.module.css';
import { ChainFacts } from './ChainFacts.js';
import { ContentVisibility } from './ContentVisibility.js';
import { Downloads } from './Downloads.js';
import { FileFacts } from './FileFacts.js';
import { LogFacts } from './LogFacts.js';
import { ShareCard } from './ShareCard.js';
import { SignedCopies } from './SignedCopies.js';
import { Checks, StartChecks, useChecks } from './Verification.js';

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
    <QueryView query={{ ...query, value }} what={texts.artifact}>
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
  const checks = useChecks();
  return (
    <article className={basics.stack}>
      <header>
        <p className={basics.eyebrow}>{texts.artifact}</p>
        <h1>{metadata.filename === undefined ? kindNames[metadata.kind] : <FileName name={metadata.filename} />}</h1>
        {isRegistered && <Headline artifact={artifact} />}
        <PrintedFrom />
      </header>
      {requested !== fingerprint && <CopyNotice artifact={artifact} requested={requested} />}
      {status === 'failed' && <FailureNotice artifact={artifact} />}
      {isRegistered && (
        <ClaimsNotice artifact={artifact}>
          <a href="#claims">{texts.readClaims}</a>
        </ClaimsNotice>
      )}
      <Card>
        <RecordLayout fingerprint={fingerprint}>
          <dl className={factStyles.facts}>
            <ArtifactFacts artifact={artifact} />
            <FileFacts artifact={artifact} />
          </dl>
          {isAwaitingChain(artifact) && <p className={basics.quiet}>{texts.updatesItself}</p>}
          {isRegistered && <Proof {...describeRecord(artifact)} level={2} />}
          <StartChecks checks={checks} label={texts.verify} hint={texts.verifyWith} />
        </RecordLayout>
      </Card>
      <Checks checks={checks} fingerprint={requested} />
      {isRegistered && <ChainFacts artifact={artifact} />}
      {isRegistered && <LogFacts artifact={artifact} fingerprint={requested} />}
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
      {metadata.filename === undefined ? (
        <ShortFingerprint fingerprint={fingerprint} />
      ) : (
        <FileName name={metadata.filename} />
      )}
    </Link>
  );
  return (
    <Notice tone="info" title={texts.signedCopyTitle(original)}>
      <p>{texts.signedCopyText(<ShortFingerprint fingerprint={requested} />)}</p>
    </Notice>
  );
}

/** The name at registration: the present one is among the facts. */
function Headline({ artifact: { metadata, createdAt, status, claims } }: { readonly artifact: Artifact }) {
  const { mark } = metadata;
  const { tone, icon } = claims.contested ? contestedDisplay : statusDisplay[status];
  return (
    <p className={`${basics.aside} ${styles.headline}`} data-tone={tone}>
      <Icon name={icon} />
      <span>
        {texts.registeredSince(
          mark && <bdi>{mark.name}</bdi>,
          <Timestamp at={createdAt} isDayOnly />,
          claims.contested,
        )}
      </span>
    </p>
  );
}

function FailureNotice({ artifact: { errorReason, fingerprint } }: { readonly artifact: Artifact }) {
  return (
    <Notice tone="bad" title={texts.failedTitle}>
      <p>
        {texts.failedText((text) => (
          <Link to={`/dashboard/register#fingerprint=${fingerprint}`}>{text}</Link>
        ))}
      </p>
      {errorReason !== null && <p>{texts.reason(<bdi>{errorReason}</bdi>)}</p>}
    </Notice>
  );
}

function UnknownFingerprint({ fingerprint }: { readonly fingerprint: Fingerprint }) {
  const checks = useChecks();
  useTitle(texts.unknownDocumentTitle);
  return (
    <div className={basics.stack}>
      <h1>{texts.unknownTitle}</h1>
      <p className={basics.lead}>{texts.unknownLead}</p>
      <Card>
        <RecordLayout fingerprint={fingerprint} hasCaption={false}>
          <dl className={factStyles.facts}>
            <Fact name={texts.fingerprint}>
              <FingerprintText fingerprint={fingerprint} />
            </Fact>
          </dl>
          <p>{texts.mayBeElsewhere}</p>
          <StartChecks checks={checks} label={texts.checkChain} />
          <RegisterHint fields={{ fingerprint }} />
        </RecordLayout>
      </Card>
      <Checks checks={checks} fingerprint={fingerprint} />
    </div>
  );
}
