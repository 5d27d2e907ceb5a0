// The answers to the four questions about a file, each with a state of its own.

import { describeClaims, type Fingerprint } from '@provenance-registry/core';
import type { ReactNode } from 'preact/compat';
import * as texts from '#texts/verifyResult';
import { describeError } from '../../errorMessages.js';
import { Link } from '../../ui/Link.js';
import { ReferencedMark } from '../../ui/MarkIdentity.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { Answer, RetryButton } from './Answer.js';
import { CredentialsAnswer } from './CredentialsAnswer.js';
import { confirmationOf } from './confirmation.js';
import type { FileChecks } from './fileChecks.js';
import { LookalikeAnswer } from './LookalikeAnswer.js';
import type { LookupResult, RecordedResult } from './lookup.js';
import { manifestOf } from './useEmbeddedManifest.js';
import { foundLookalikes } from './useLookalikes.js';

export function Answers({ checks }: { readonly checks: FileChecks }) {
  return (
    <dl className="answers" aria-label={texts.answers}>
      <ExactAnswer checks={checks} />
      <CredentialsAnswer checks={checks} />
      <LookalikeAnswer checks={checks} />
      <ClaimsAnswer checks={checks} />
    </dl>
  );
}

function ExactAnswer({ checks }: { readonly checks: FileChecks }) {
  const { lookup, embedded, verification } = checks;
  const { result, error, retry } = lookup;
  const question = texts.exactMatch;
  if (!result && error !== undefined) {
    return (
      <Answer question={question} state="failed">
        <p role="alert">{describeError(error)}</p>
        <RetryButton onRetry={retry} />
      </Answer>
    );
  }
  if (!result) return <Answer question={question} state="checking" />;
  if (verification?.verdict === 'contradicted') {
    return (
      <Answer question={question} state="contradicted">
        <p>{texts.doNotRely}</p>
      </Answer>
    );
  }
  if (result.kind === 'recorded') {
    const isVerified = verification && confirmationOf(verification) === 'verified';
    return (
      <Answer question={question} state={result.artifact.status === 'failed' ? 'noted' : 'found'}>
        <p>{isVerified ? texts.confirmedIndependently : <Registration result={result} />}</p>
      </Answer>
    );
  }
  const original = manifestOf(embedded)?.signedCopyOf;
  return (
    <Answer question={question} state={result.kind === 'onChain' ? 'noted' : 'notFound'}>
      <p>{describeMissing(result, original)}</p>
    </Answer>
  );
}

function Registration({ result: { artifact, rendition } }: { readonly result: RecordedResult }) {
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

/** In the fragment, which browsers do not send: the service need not know that it was asked for. */
function OriginalLink({ original }: { readonly original: Fingerprint }) {
  return <Link to={`/#fingerprint=${original}`}>{texts.theRegisteredFile}</Link>;
}

function ClaimsAnswer({ checks }: { readonly checks: FileChecks }) {
  const { result, error } = checks.lookup;
  const question = texts.claims;
  if (!result) {
    return (
      <Answer question={question} state={error === undefined ? 'checking' : 'failed'}>
        {error !== undefined && <p>{texts.claimsUnknown}</p>}
      </Answer>
    );
  }
  if (result.kind === 'recorded') return <RecordClaims result={result} />;
  const original = manifestOf(checks.embedded)?.signedCopyOf;
  const contested = foundLookalikes(checks.lookalikes).filter((lookalike) => lookalike.contested).length;
  return (
    <Answer question={question} state={contested > 0 ? 'contested' : original ? 'notChecked' : 'notFound'}>
      <p>
        {original ? texts.claimsAtOriginal(<OriginalLink original={original} />) : texts.claimsNeedRegistration}
        {contested > 0 && <> {texts.contestedLookalikes(contested)}</>}
      </p>
    </Answer>
  );
}

/** Whether evidence counts is this service's word. */
function RecordClaims({ result: { artifact } }: { readonly result: RecordedResult }) {
  const { claims, fingerprint } = artifact;
  const open = describeClaims({ ...claims, supersededBy: null });
  if (open === undefined && !claims.supersededBy) {
    return (
      <Answer question={texts.claims} state="notFound">
        <p>{texts.claimsNone}</p>
      </Answer>
    );
  }
  return (
    <Answer question={texts.claims} state={claims.contested ? 'contested' : 'noted'}>
      <p>
        {open} {claims.supersededBy && texts.claimsConcededTo(<ReferencedMark mark={claims.supersededBy} />)}
      </p>
      <p>
        <Link to={`/artifacts/${fingerprint}`}>{texts.readClaims}</Link>
      </p>
    </Answer>
  );
}
