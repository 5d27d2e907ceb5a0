// The result for one file on one screen: the file, what was found, and the details below.

import { type Disclosure as Disclosed, explanations, type Lookup } from '@provenance-registry/client';
import { useCallback } from 'preact/compat';
import * as texts from '#texts/lookups/verifyResult';
import { useRegistryClient } from '../../registryClient.js';
import { RegisterHint } from '../../ui/artifact/RegisterHint.js';
import { Notice } from '../../ui/feedback/Notice.js';
import { useQuery } from '../../ui/feedback/query.js';
import { FileName } from '../../ui/file/FileName.js';
import { Button } from '../../ui/form/Button.js';
import * as basics from '../../ui/layout/basics.module.css';
import { FingerprintText } from '../../ui/text/FingerprintText.js';
import { formatSize } from '../../ui/text/format.js';
import { Icon } from '../../ui/text/Icon.js';
import { Link } from '../../ui/text/Link.js';
import { CredentialsSection } from './CredentialsSection.js';
import { Disclosure } from './Disclosure.js';
import { FindingRows } from './FindingRows.js';
import type { FileChecks } from './fileChecks.js';
import { type Findings, headlineFor } from './headline.js';
import { IndependentChecks } from './IndependentChecks.js';
import { LookalikeSection, SentHashes } from './LookalikeSection.js';
import { RegistrationDetails } from './RegistrationDetails.js';
import * as styles from './ResultDetails.module.css';
import { Thumbnail } from './thumbnail/Thumbnail.js';
import { manifestOf } from './useEmbeddedManifest.js';
import { foundLookalikes } from './useLookalikes.js';

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
    <span className={`${basics.aside} ${styles.title}`} data-tone={tone}>
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
  const isUnknown = result?.match === 'none' && manifest?.signedCopyOf === undefined;
  return (
    <div className={basics.stack}>
      {isContradicted && (
        <div className={styles.contradiction}>
          <Notice tone="bad" isAlert title={texts.contradictionTitle}>
            <p>{texts.contradictionText}</p>
          </Notice>
        </div>
      )}
      <div className={styles.head}>
        {file && <Thumbnail content={file.content} mediaType={file.mediaType} />}
        <div>
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
      {result && <WhatWasSent checks={checks} disclosure={result.disclosure} />}
      {result && (
        <IndependentChecks
          subject={{ fingerprint: checks.fingerprint, content: file?.content, lookupBy: result.disclosure.lookupBy }}
          verification={verification}
          onVerified={checks.onVerified}
        />
      )}
    </div>
  );
}

function ResultFile({ checks: { file, fingerprint } }: { readonly checks: FileChecks }) {
  return (
    <p className={`${basics.row} ${styles.file}`}>
      {file && (
        <span className={basics.clip}>
          {texts.fileNameAndSize(<FileName name={file.filename} />, formatSize(file.size))}
        </span>
      )}
      <FingerprintText fingerprint={fingerprint} />
    </p>
  );
}

function ResultActions({ result }: { readonly result: Lookup }) {
  return (
    <p className={`${basics.row} ${styles.actions}`}>
      {result.artifact && <Link to={`/artifacts/${result.artifact.fingerprint}`}>{texts.openArtifact}</Link>}
      <Button kind="quiet" onClick={() => print()}>
        {texts.print}
      </Button>
    </p>
  );
}

function WhatWasSent({ checks, disclosure }: { readonly checks: FileChecks; readonly disclosure: Disclosed }) {
  const { lookalikes, verification } = checks;
  return (
    <>
      <SentHashes state={lookalikes} />
      <p className={`${basics.aside} ${styles.sent}`}>
        <Icon name="lock" />
        <span>{describeSent(mostRevealing(disclosure, verification?.disclosure), lookalikes.areHashesSent)}</span>
      </p>
    </>
  );
}

function mostRevealing(first: Disclosed, second: Disclosed | undefined): Disclosed {
  return second?.fingerprintDisclosed ? second : first;
}

function describeSent(disclosure: Disclosed, areHashesSent: boolean): string {
  const { fingerprintDisclosed, prefix } = disclosure;
  if (!areHashesSent || fingerprintDisclosed || prefix === undefined) return explanations.disclosed(disclosure);
  return texts.learnedBySearch(prefix);
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
        <p data-tone="warn" role="status">
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
    <p data-tone="warn" role="status">
      {texts.chainUnavailable}
    </p>
  );
}
