// What the Content Credentials in a file say, in a few sentences. What they state is the signer's word.

import type { EmbeddedManifest } from '@provenance-registry/client';
import type { ReactNode } from 'preact/compat';
import * as texts from '#texts/verifyCredentials';
import { credentials as question } from '#texts/verifyResult';
import { describeError } from '../../errorMessages.js';
import { describeSourceType } from '../../ui/sourceTypes.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { Answer, RetryButton } from './Answer.js';
import { hasEarlierAi, isAiSource, listEdits, sourceOf } from './credentialFacts.js';
import type { FileChecks } from './fileChecks.js';
import { signerName } from './headline.js';

/** Enough to see what was done; the details have all. */
const MAX_EDITS = 6;

export function CredentialsAnswer({ checks: { embedded, retryEmbedded, file } }: { readonly checks: FileChecks }) {
  switch (embedded.step) {
    case 'noContent':
      return (
        <Answer question={question} state="notChecked">
          <p>{file ? texts.needsFileAgain : texts.needsFile}</p>
        </Answer>
      );
    case 'reading':
      return (
        <Answer question={question} state="checking">
          <p>{texts.reading}</p>
        </Answer>
      );
    case 'failed':
      return (
        <Answer question={question} state="failed">
          <p>{describeError(embedded.error)}</p>
          <RetryButton onRetry={retryEmbedded} />
        </Answer>
      );
    case 'done':
      return embedded.manifest ? (
        <ManifestAnswer manifest={embedded.manifest} />
      ) : (
        <Answer question={question} state="notFound">
          <p>{texts.none}</p>
        </Answer>
      );
  }
}

function ManifestAnswer({ manifest }: { readonly manifest: EmbeddedManifest }) {
  const { state, reason, trustedBy } = manifest;
  if (state === 'unreadable') {
    return (
      <Answer question={question} state="failed">
        <p>{reason ?? texts.unreadable}</p>
      </Answer>
    );
  }
  if (state === 'invalid') {
    return (
      <Answer question={question} state="invalid">
        <p>{texts.invalid}</p>
      </Answer>
    );
  }
  return (
    <Answer question={question} state={trustedBy === 'caller' ? 'found' : 'noted'}>
      <p>
        {describeSigner(manifest)} <SigningTime manifest={manifest} />
      </p>
      <p>
        <Statements manifest={manifest} />
      </p>
    </Answer>
  );
}

function describeSigner({ signer, trustedBy }: EmbeddedManifest): ReactNode {
  if (trustedBy === 'service') return texts.byRegistry;
  const name = signerName(signer);
  if (name === undefined) return texts.unnamed;
  const quoted = <bdi>“{name}”</bdi>;
  return trustedBy === 'caller' ? texts.trusted(quoted) : texts.untrusted(quoted);
}

export function SigningTime({ manifest: { timestamp } }: { readonly manifest: EmbeddedManifest }) {
  return timestamp ? texts.signedAt[timestamp.trustedBy ?? 'none'](<Timestamp at={timestamp.at} />) : texts.noTime;
}

function Statements({ manifest }: { readonly manifest: EmbeddedManifest }) {
  const { history, omittedSteps } = manifest;
  const source = sourceOf(manifest);
  const phrase = source !== undefined && <bdi>{describeSourceType(source)}</bdi>;
  const edits = listEdits(manifest);
  return (
    <>
      {phrase && (isAiSource(source) ? <strong>{texts.madeWithAi(phrase)}</strong> : texts.source(phrase))}{' '}
      {hasEarlierAi(manifest) && <strong>{texts.earlierAi}</strong>}{' '}
      {edits.length > 0 && texts.edits(edits.slice(0, MAX_EDITS), Math.max(0, edits.length - MAX_EDITS))}{' '}
      {texts.versions(history.length + omittedSteps)}
    </>
  );
}
