// The Content Credentials inside the file. What they state is the signer's word, and names of signers that nothing vouches
// for are what the signer calls itself.

import { type EmbeddedManifest, type RegistryClient, readEmbeddedManifest } from '@provenance-registry/client';
import { formatName } from '@provenance-registry/core';
import { describeError } from '../describeError.js';
import { button, link } from '../element.js';
import * as texts from '../texts/en.js';
import { type FindingRow, paragraph, quiet } from './findingRows.js';
import type { RegistrySession } from './registrySession.js';

/** Untrusted files can have very long names, and very many terms. */
const MAX_NAME_CHARACTERS = 120;
const MAX_SOURCE_TYPES = 5;

interface CredentialsCheck {
  readonly content: Blob;
  readonly session: RegistrySession;
  readonly row: FindingRow;
  readonly signal: AbortSignal;
}

export async function checkCredentials(check: CredentialsCheck): Promise<void> {
  const { content, session, row, signal } = check;
  row.show('checking', paragraph(texts.readingCredentials));
  try {
    // A registry that is not the confirmed one, or does not respond, vouches for no signer.
    const client = await session.requireConfirmed().catch((): RegistryClient | undefined => undefined);
    const manifest = await readEmbeddedManifest(content, { client, signal });
    signal.throwIfAborted();
    showManifest(manifest, check);
  } catch (error) {
    if (signal.aborted) return;
    const again = button(texts.tryAgain, () => void checkCredentials(check));
    row.show('failed', paragraph(describeError(error)), paragraph(again));
  }
}

function showManifest(manifest: EmbeddedManifest | undefined, { row, session }: CredentialsCheck) {
  if (!manifest) return row.show('notFound', paragraph(texts.noCredentials));
  const { state, reason, timestamp, identity, signedCopyOf, history, omittedSteps } = manifest;
  if (state === 'unreadable') return row.show('failed', paragraph(reason ?? texts.unreadableCredentials));
  if (state === 'invalid') return row.show('invalid', paragraph(texts.invalidCredentials));
  const sources = listSourceTypes(manifest);
  return row.show(
    'noted',
    describeSigner(manifest),
    paragraph(
      timestamp ? texts.signedAt(timestamp.at, timestamp.trustedBy !== undefined) : texts.noSigningTime,
      ' ',
      texts.versions(history.length + omittedSteps),
    ),
    sources.length > 0 && paragraph(texts.sourceTypes, ' ', sources.map((source) => formatName(source)).join(', ')),
    identity && paragraph(texts.verifiedDomains(identity.domains.map(({ domain }) => domain).join(', '))),
    signedCopyOf && paragraph(texts.copyOfRegistered),
    // In the fragment, which browsers do not send: the page asks by the first digits, too.
    signedCopyOf && paragraph(link(`${session.pin.baseUrl}/#fingerprint=${signedCopyOf}`, texts.openOriginal)),
    quiet(texts.signersWord),
  );
}

function describeSigner({ signer, trustedBy }: EmbeddedManifest): HTMLElement {
  if (trustedBy === 'service') return paragraph(texts.byRegistry);
  const names = [signer?.name, signer?.issuer].filter((name) => name !== undefined);
  if (names.length === 0) return paragraph(texts.unnamedSigner);
  return paragraph(texts.untrustedSigner, ' ', formatName(names.join(', '), MAX_NAME_CHARACTERS));
}

/** IPTC's terms in the manifest of the file itself, as the signer chose them: each once. */
function listSourceTypes({ history }: EmbeddedManifest): string[] {
  const terms = (history.at(-1)?.actions ?? []).flatMap(({ digitalSourceType }) => {
    const term = digitalSourceType?.split('/').at(-1);
    return term ? [term] : [];
  });
  return [...new Set(terms)].slice(0, MAX_SOURCE_TYPES);
}
