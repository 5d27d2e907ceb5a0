// What the Content Credentials in a file say, in a few sentences. What they state is the signer's word.

import { type EmbeddedManifest, signerName } from '@provenance-registry/client';
import type { ReactNode } from 'preact/compat';
import * as texts from '#texts/lookups/verifyCredentials';
import { credentials as title } from '#texts/lookups/verifyResult';
import { describeError } from '../../errorMessages.js';
import { describeSourceType } from '../../ui/artifact/sourceTypes.js';
import { FindingRow, RetryButton } from '../../ui/lookup/FindingRow.js';
import { Timestamp } from '../../ui/text/Timestamp.js';
import { hasEarlierAi, isAiSource, listEdits, sourceOf } from './credentialFacts.js';
import type { FileChecks } from './fileChecks.js';

/** Enough to see what was done; the details have all. */
const MAX_EDITS = 6;

export function CredentialsRow({ checks: { embedded, retryEmbedded, file } }: { readonly checks: FileChecks }) {
  switch (embedded.step) {
    case 'noContent':
      return (
        <FindingRow title={title} state="notChecked">
          <p>{file ? texts.needsFileAgain : texts.needsFile}</p>
        </FindingRow>
      );
    case 'reading':
      return (
        <FindingRow title={title} state="checking">
          <p>{texts.reading}</p>
        </FindingRow>
      );
    case 'failed':
      return (
        <FindingRow title={title} state="failed">
          <p>{describeError(embedded.error)}</p>
          <RetryButton onRetry={retryEmbedded} />
        </FindingRow>
      );
    case 'done':
      return embedded.manifest ? (
        <ManifestRow manifest={embedded.manifest} />
      ) : (
        <FindingRow title={title} state="notFound">
          <p>{texts.none}</p>
        </FindingRow>
      );
  }
}

function ManifestRow({ manifest }: { readonly manifest: EmbeddedManifest }) {
  const { state, reason, trustedBy } = manifest;
  if (state === 'unreadable') {
    return (
      <FindingRow title={title} state="failed">
        <p>{reason ?? texts.unreadable}</p>
      </FindingRow>
    );
  }
  if (state === 'invalid') {
    return (
      <FindingRow title={title} state="invalid">
        <p>{texts.invalid}</p>
      </FindingRow>
    );
  }
  return (
    <FindingRow title={title} state={trustedBy === 'caller' ? 'found' : 'noted'}>
      <p>
        {describeSigner(manifest)} <SigningTime manifest={manifest} />
      </p>
      <p>
        <Statements manifest={manifest} />
      </p>
    </FindingRow>
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
  return timestamp ? texts.signedAt[timestamp.trustedBy](<Timestamp at={timestamp.at} />) : texts.noTime;
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
