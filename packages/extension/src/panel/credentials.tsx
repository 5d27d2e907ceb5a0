// The Content Credentials inside the file. What they state is the signer's word, and names of signers that nothing vouches
// for are what the signer calls itself.

import {
  type EmbeddedManifest,
  explanations,
  type RegistryClient,
  readEmbeddedManifest,
  signerName,
} from '@provenance-registry/client';
import { formatName } from '@provenance-registry/core';
import * as basics from '@provenance-registry/web/ui/layout/basics.module.css';
import { Link } from '@provenance-registry/web/ui/text/Link.js';
import * as texts from '../texts/en.js';
import type { ShowFinding } from './findings.js';
import { Retry } from './Retry.js';
import type { RegistrySession } from './registrySession.js';

/** Untrusted files can have very long names, and very many terms. */
const MAX_NAME_CHARACTERS = 120;
const MAX_SOURCE_TYPES = 5;

const { credentials } = explanations;

interface CredentialsCheck {
  readonly content: Blob;
  readonly session: RegistrySession;
  readonly show: ShowFinding;
  readonly signal: AbortSignal;
}

export async function checkCredentials(check: CredentialsCheck): Promise<void> {
  const { content, session, show, signal } = check;
  show('checking', <p>{texts.readingCredentials}</p>);
  try {
    // A registry that is not the confirmed one, or does not respond, vouches for no signer.
    const client = await session.requireConfirmed().catch((): RegistryClient | undefined => undefined);
    const manifest = await readEmbeddedManifest(content, { client, signal });
    signal.throwIfAborted();
    showManifest(manifest, show);
  } catch (error) {
    if (signal.aborted) return;
    show('failed', <Retry error={error} onRetry={() => void checkCredentials(check)} />);
  }
}

function showManifest(manifest: EmbeddedManifest | undefined, show: ShowFinding) {
  if (!manifest) return show('notFound', <p>{credentials.none}</p>);
  const { state, reason, timestamp, identity, signedCopyOf, history, omittedSteps } = manifest;
  if (state === 'unreadable') return show('failed', <p>{reason ?? credentials.unreadable}</p>);
  if (state === 'invalid') return show('invalid', <p>{credentials.invalid}</p>);
  const sources = listSourceTypes(manifest);
  return show(
    'noted',
    <>
      <p>{describeSigner(manifest)}</p>
      <p>
        {timestamp ? texts.signedAt(timestamp.at) : credentials.noTime}{' '}
        {credentials.versions(history.length + omittedSteps)}
      </p>
      {sources.length > 0 && (
        <p>
          {texts.sourceTypes} {sources.map((source) => formatName(source)).join(', ')}
        </p>
      )}
      {identity && <p>{texts.verifiedDomains(identity.domains.map(({ domain }) => domain).join(', '))}</p>}
      {signedCopyOf && (
        <>
          <p>{texts.copyOfRegistered}</p>
          <p>
            {/* In the fragment, which browsers do not send: the page asks by the first digits, too. */}
            <Link to={`/#fingerprint=${signedCopyOf}`}>{texts.openOriginal}</Link>
          </p>
        </>
      )}
      <p className={basics.quiet}>{texts.signersWord}</p>
    </>,
  );
}

function describeSigner({ signer, trustedBy }: EmbeddedManifest): string {
  if (trustedBy === 'service') return credentials.byRegistry;
  const name = signerName(signer);
  if (name === undefined) return credentials.unnamed;
  return `${credentials.untrusted}: ${formatName(name, MAX_NAME_CHARACTERS)}`;
}

/** IPTC's terms in the manifest of the file itself, as the signer chose them: each once. */
function listSourceTypes({ history }: EmbeddedManifest): string[] {
  const terms = (history.at(-1)?.actions ?? []).flatMap(({ digitalSourceType }) => {
    const term = digitalSourceType?.split('/').at(-1);
    return term ? [term] : [];
  });
  return [...new Set(terms)].slice(0, MAX_SOURCE_TYPES);
}
