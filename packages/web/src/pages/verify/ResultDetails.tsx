// The result for one file on one screen: the file, what was found, and the details below.

import { describeQuestion, type LookupQuestion } from '@provenance-registry/client';
import { useCallback } from 'preact/compat';
import * as texts from '#texts/verifyResult';
import { useRegistryClient } from '../../registryClient.js';
import { Button } from '../../ui/Button.js';
import { FileName } from '../../ui/FileName.js';
import { FingerprintText } from '../../ui/FingerprintText.js';
import { formatSize } from '../../ui/format.js';
import { Icon } from '../../ui/Icon.js';
import { Link } from '../../ui/Link.js';
import { Notice } from '../../ui/Notice.js';
import { useQuery } from '../../ui/query.js';
import { RegisterHint } from '../../ui/RegisterHint.js';
import { CredentialsSection } from './CredentialsSection.js';
import { Disclosure } from './Disclosure.js';
import { FindingRows } from './FindingRows.js';
import type { FileChecks } from './fileChecks.js';
import { type Findings, headlineFor } from './headline.js';
import { IndependentChecks } from './IndependentChecks.js';
import { LookalikeSection, SentCodes } from './LookalikeSection.js';
import type { LookupResult } from './lookup.js';
import { RegistrationDetails } from './RegistrationDetails.js';
import { Thumbnail } from './thumbnail/Thumbnail.js';
import { manifestOf } from './useEmbeddedManifest.js';
import { foundLookalikes } from './useLookalikes.js';
import './results.css';

export function collectFindings({ lookup, file, embedded, lookalikes, verification }: FileChecks): Findings {
  return {
    result: lookup.result,
    hasFailed: lookup.error !== undefined,
    hasFile: file !== undefined,
    embedded: manifestOf(embedded),
    lookalikes: { count: foundLookalikes(lookalikes).length, kind: lookalikes.kind },
    verification,
  };
}

export function ResultTitle({ findings }: { readonly findings: Findings }) {
  const { tone, icon, label } = headlineFor(findings);
  return (
    <span className={`result-title tone-${tone}`}>
      <Icon name={icon} />
      <bdi>{label}</bdi>
    </span>
  );
}

export function ResultDetails({ checks }: { readonly checks: FileChecks }) {
  const { file, lookup, embedded, lookalikes, verification } = checks;
  const { result } = lookup;
  const manifest = manifestOf(embedded);
  const isContradicted = verification?.verdict === 'contradicted';
  const isUnknown = result?.kind === 'notFound' && manifest?.signedCopyOf === undefined;
  return (
    <div className="result-details stack">
      {isContradicted && (
        <div className="contradiction">
          <Notice tone="bad" isAlert title={texts.contradictionTitle}>
            <p>{texts.contradictionText}</p>
          </Notice>
        </div>
      )}
      <div className="result-head">
        {file && <Thumbnail content={file.content} mediaType={file.mediaType} />}
        <div className="result-findings">
          <ResultFile checks={checks} />
          <FindingRows checks={checks} />
        </div>
      </div>
      {isUnknown && !isContradicted && <UnknownFile checks={checks} isChainKnown={result.isChainKnown} />}
      {result && <ResultActions result={result} />}
      {!isContradicted && <LookalikeSection state={lookalikes} />}
      {manifest && <CredentialsSection manifest={manifest} isOpen={isUnknown} />}
      {result && (
        <Disclosure
          title={isUnknown ? texts.fingerprintDetails : texts.registrationDetails}
          isOpen={!isUnknown || isContradicted || file === undefined}
        >
          <RegistrationDetails {...checks} result={result} embedded={manifest} />
        </Disclosure>
      )}
      {result && <WhatWasSent checks={checks} disclosed={result.disclosed} />}
      {result && (
        <IndependentChecks
          subject={{ fingerprint: checks.fingerprint, content: file?.content, lookup: result.disclosed.kind }}
          verification={verification}
          onVerified={checks.onVerified}
        />
      )}
    </div>
  );
}

function ResultFile({ checks: { file, fingerprint } }: { readonly checks: FileChecks }) {
  return (
    <p className="result-file">
      {file && (
        <span className="result-filename">
          {texts.fileNameAndSize(<FileName name={file.filename} />, formatSize(file.size))}
        </span>
      )}
      <FingerprintText fingerprint={fingerprint} />
    </p>
  );
}

function ResultActions({ result }: { readonly result: LookupResult }) {
  return (
    <p className="row result-actions">
      {result.kind === 'recorded' && <Link to={`/artifacts/${result.artifact.fingerprint}`}>{texts.openArtifact}</Link>}
      <Button kind="quiet" onClick={() => print()}>
        {texts.print}
      </Button>
    </p>
  );
}

function WhatWasSent({ checks, disclosed }: { readonly checks: FileChecks; readonly disclosed: LookupQuestion }) {
  const { lookalikes, verification } = checks;
  return (
    <>
      <SentCodes state={lookalikes} />
      <p className="sent-note">
        <Icon name="lock" />
        <span>{describeSent(mostRevealing(disclosed, verification?.lookup), lookalikes.areCodesSent)}</span>
      </p>
    </>
  );
}

function mostRevealing(first: LookupQuestion, second: LookupQuestion | undefined): LookupQuestion {
  return second?.isFileNamed ? second : first;
}

function describeSent(disclosed: LookupQuestion, areCodesSent: boolean): string {
  if (!areCodesSent || disclosed.isFileNamed || disclosed.prefix === undefined) return describeQuestion(disclosed);
  return texts.learnedByCodes(disclosed.prefix);
}

interface UnknownFileProps {
  readonly checks: FileChecks;
  /** Undefined: only the status of the service tells. */
  readonly isChainKnown: boolean | undefined;
}

function UnknownFile({ checks: { fingerprint, file }, isChainKnown }: UnknownFileProps) {
  const fileFields = file && { filename: file.filename, size: String(file.size), mediaType: file.mediaType };
  return (
    <>
      {isChainKnown === undefined && <ChainUnavailableHint />}
      {isChainKnown === false && (
        <p className="tone-warn" role="status">
          {texts.chainBehind}
        </p>
      )}
      <RegisterHint fields={{ fingerprint, ...fileFields }} />
    </>
  );
}

/** While the chain is unavailable, an unknown fingerprint may still have an entry there. */
function ChainUnavailableHint() {
  const client = useRegistryClient();
  const load = useCallback((signal: AbortSignal) => client.getServiceStatus({ signal }), [client]);
  const { value } = useQuery(load);
  if (value === undefined || value.status === 'ok') return null;
  return (
    <p className="tone-warn" role="status">
      {texts.chainUnavailable}
    </p>
  );
}
