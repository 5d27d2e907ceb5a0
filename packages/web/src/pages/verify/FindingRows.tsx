// What was found about a file, a row for each kind of check.

import { describeClaims, type Fingerprint } from '@provenance-registry/core';
import type { ReactNode } from 'preact/compat';
import * as texts from '#texts/verifyResult';
import { describeError } from '../../errorMessages.js';
import { Link } from '../../ui/Link.js';
import { ReferencedMark } from '../../ui/MarkIdentity.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { CredentialsRow } from './CredentialsRow.js';
import { confirmationOf } from './confirmation.js';
import { FindingRow, RetryButton } from './FindingRow.js';
import type { FileChecks } from './fileChecks.js';
import { LookalikeRow } from './LookalikeRow.js';
import type { LookupResult, RecordedResult } from './lookup.js';
import { manifestOf } from './useEmbeddedManifest.js';
import { foundLookalikes } from './useLookalikes.js';

export function FindingRows({ checks }: { readonly checks: FileChecks }) {
  return (
    <dl className="finding-rows" aria-label={texts.findings}>
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
  if (result.kind === 'recorded') {
    const isVerified = verification && confirmationOf(verification) === 'verified';
    return (
      <FindingRow title={title} state={result.artifact.status === 'failed' ? 'noted' : 'found'}>
        <p>{isVerified ? texts.confirmedIndependently : <RegistrationSummary result={result} />}</p>
      </FindingRow>
    );
  }
  const original = manifestOf(embedded)?.signedCopyOf;
  return (
    <FindingRow title={title} state={result.kind === 'onChain' ? 'noted' : 'notFound'}>
      <p>{describeMissing(result, original)}</p>
    </FindingRow>
  );
}

function RegistrationSummary({ result: { artifact, rendition } }: { readonly result: RecordedResult }) {
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
      {rendition && <> {texts.copyOf(<Link to={`/artifacts/${fingerprint}`}>{texts.theRegisteredFile}</Link>)}</>}
    </>
  );
}

function describeMissing(result: LookupResult, original: Fingerprint | undefined): ReactNode {
  if (result.kind === 'onChain') return result.isCurated ? texts.onChainOnlyMeaning : texts.publicOnlyMeaning;
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
  if (result.kind === 'recorded') return <RecordClaims result={result} />;
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
function RecordClaims({ result: { artifact } }: { readonly result: RecordedResult }) {
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
