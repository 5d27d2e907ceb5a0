// What was found about a file, a row for each kind of check.

import { isConfirmed, type Lookup } from '@provenance-registry/client';
import { describeClaims, type Fingerprint } from '@provenance-registry/core';
import type { ReactNode } from 'preact/compat';
import * as texts from '#texts/lookups/verifyResult';
import { describeError } from '../../errorMessages.js';
import { FindingRow, RetryButton } from '../../ui/lookup/FindingRow.js';
import * as findingRowStyles from '../../ui/lookup/FindingRow.module.css';
import { ReferencedMark } from '../../ui/mark/MarkIdentity.js';
import { Link } from '../../ui/text/Link.js';
import { Timestamp } from '../../ui/text/Timestamp.js';
import { CredentialsRow } from './CredentialsRow.js';
import type { FileChecks } from './fileChecks.js';
import { LookalikeRow } from './LookalikeRow.js';
import { isRecorded, type RecordedLookup } from './lookup.js';
import { manifestOf } from './useEmbeddedManifest.js';
import { foundLookalikes } from './useLookalikes.js';

export function FindingRows({ checks }: { readonly checks: FileChecks }) {
  return (
    <dl className={findingRowStyles.rows} aria-label={texts.findings}>
      <ExactMatchRow checks={checks} />
      <CredentialsRow checks={checks} />
      <LookalikeRow checks={checks} />
      <ClaimsRow checks={checks} />
    </dl>
  );
}

function ExactMatchRow({ checks }: { readonly checks: FileChecks }) {
  const { lookup, embedded, verification } = checks;
  const { result, error, retry } = lookup;
  const title = texts.exactMatch;
  if (!result && error !== undefined) {
    return (
      <FindingRow title={title} state="failed">
        <p role="alert">{describeError(error)}</p>
        <RetryButton onRetry={retry} />
      </FindingRow>
    );
  }
  if (!result) return <FindingRow title={title} state="checking" />;
  if (verification?.verdict === 'contradicted') {
    return (
      <FindingRow title={title} state="contradicted">
        <p>{texts.doNotRely}</p>
      </FindingRow>
    );
  }
  if (isRecorded(result)) {
    const isProven = isConfirmed(verification);
    return (
      <FindingRow title={title} state={isProven ? 'found' : 'noted'}>
        <p>{isProven ? texts.confirmedIndependently : <RegistrationSummary result={result} />}</p>
      </FindingRow>
    );
  }
  const original = manifestOf(embedded)?.signedCopyOf;
  return (
    <FindingRow title={title} state={result.match === 'chain' ? 'noted' : 'notFound'}>
      <p>{describeMissing(result, original)}</p>
    </FindingRow>
  );
}

function RegistrationSummary({ result: { artifact, signedCopyOf } }: { readonly result: RecordedLookup }) {
  const { metadata, createdAt, status, fingerprint } = artifact;
  const at = <Timestamp at={createdAt} />;
  if (status === 'failed') return texts.registrationFailed(at);
  return (
    <>
      {metadata.mark
        ? texts.registeredUnder(
            <Link to={`/marks/${metadata.mark.id}`}>
              <bdi>{metadata.mark.name}</bdi>
            </Link>,
            at,
          )
        : texts.registeredPrivately(at)}
      {signedCopyOf && <> {texts.copyOf(<Link to={`/artifacts/${fingerprint}`}>{texts.theRegisteredFile}</Link>)}</>}
    </>
  );
}

function describeMissing(result: Lookup, original: Fingerprint | undefined): ReactNode {
  if (result.match === 'chain') return texts.chainEntries[result.source ?? 'public'];
  if (original === undefined) return texts.exactNotFound;
  return texts.exactIsCopy(<OriginalLink original={original} />);
}

/** The fingerprint is in the fragment, which browsers do not send: the service does not learn which file is looked up. */
function OriginalLink({ original }: { readonly original: Fingerprint }) {
  return <Link to={`/#fingerprint=${original}`}>{texts.theRegisteredFile}</Link>;
}

function ClaimsRow({ checks }: { readonly checks: FileChecks }) {
  const { result, error } = checks.lookup;
  const title = texts.claims;
  if (!result) {
    return (
      <FindingRow title={title} state={error === undefined ? 'checking' : 'failed'}>
        {error !== undefined && <p>{texts.claimsUnknown}</p>}
      </FindingRow>
    );
  }
  if (isRecorded(result)) return <RecordClaims result={result} />;
  const original = manifestOf(checks.embedded)?.signedCopyOf;
  const contested = foundLookalikes(checks.lookalikes).filter((lookalike) => lookalike.contested).length;
  return (
    <FindingRow title={title} state={contested > 0 ? 'contested' : original ? 'notChecked' : 'notFound'}>
      <p>
        {original ? texts.claimsAtOriginal(<OriginalLink original={original} />) : texts.claimsNeedRegistration}
        {contested > 0 && <> {texts.contestedLookalikes(contested)}</>}
      </p>
    </FindingRow>
  );
}

/** Whether evidence counts is this service's word. */
function RecordClaims({ result: { artifact } }: { readonly result: RecordedLookup }) {
  const { claims, fingerprint } = artifact;
  const open = describeClaims({ ...claims, supersededBy: null });
  if (open === undefined && !claims.supersededBy) {
    return (
      <FindingRow title={texts.claims} state="notFound">
        <p>{texts.claimsNone}</p>
      </FindingRow>
    );
  }
  return (
    <FindingRow title={texts.claims} state={claims.contested ? 'contested' : 'noted'}>
      <p>
        {open} {claims.supersededBy && texts.claimsConcededTo(<ReferencedMark mark={claims.supersededBy} />)}
      </p>
      <p>
        <Link to={`/artifacts/${fingerprint}`}>{texts.readClaims}</Link>
      </p>
    </FindingRow>
  );
}
