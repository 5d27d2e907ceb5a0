// Whether exactly this file is registered, and which claims there are to the registration: the registry's statements, asked
// for by the first digits of the fingerprint.

import { findPrivately, type LookupQuestion, type RegistryClient } from '@provenance-registry/client';
import {
  type Artifact,
  describeClaims,
  describeIdentityAtRegistration,
  describeNameChange,
  describePossession,
  escapeHidden,
  type Fingerprint,
  formatName,
} from '@provenance-registry/core';
import { describeError } from '../describeError.js';
import { button, type Child, element, facts, isolate, link } from '../element.js';
import * as texts from '../texts/en.js';
import { type FindingRows, paragraph, quiet } from './findingRows.js';
import { RegistryChangedError, type RegistrySession } from './registrySession.js';

type Registration =
  | { readonly kind: 'recorded'; readonly artifact: Artifact }
  | { readonly kind: 'onChain'; readonly source: 'curated' | 'public' }
  | { readonly kind: 'notFound'; readonly isChainKnown: boolean };

interface LookupResult {
  readonly registration: Registration;
  /** What the registry was told. */
  readonly disclosed: LookupQuestion;
}

/** A record is read only when the private lookup has found one: reading it names the file. */
async function lookUp(client: RegistryClient, fingerprint: Fingerprint, signal: AbortSignal): Promise<LookupResult> {
  const { entry, prefix, isChainKnown } = await findPrivately(client, fingerprint, { signal });
  const disclosed = { kind: 'prefix', prefix } as const;
  if (!entry)
    return { registration: { kind: 'notFound', isChainKnown }, disclosed: { ...disclosed, isFileNamed: false } };
  const { source } = entry;
  if (source) return { registration: { kind: 'onChain', source }, disclosed: { ...disclosed, isFileNamed: false } };
  const artifact = await client.getPublicArtifact({ fingerprint }, { signal });
  return { registration: { kind: 'recorded', artifact }, disclosed: { ...disclosed, isFileNamed: true } };
}

interface RegistrationCheck {
  readonly fingerprint: Fingerprint;
  readonly session: RegistrySession;
  readonly rows: Pick<FindingRows, 'exact' | 'claims'>;
  readonly signal: AbortSignal;
  readonly onDisclosed: (disclosed: LookupQuestion) => void;
  readonly onChanged: (fingerprint: string) => void;
}

export async function checkRegistration(check: RegistrationCheck): Promise<void> {
  const { fingerprint, session, rows, signal, onDisclosed, onChanged } = check;
  rows.exact.show('checking');
  rows.claims.show('checking');
  try {
    const { registration, disclosed } = await lookUp(await session.requireConfirmed(), fingerprint, signal);
    signal.throwIfAborted();
    onDisclosed(disclosed);
    showRegistration(registration, check);
    showClaims(registration, check);
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof RegistryChangedError) {
      rows.exact.show('changed', paragraph(texts.claimsUnknown));
      onChanged(error.fingerprint);
    } else {
      const again = button(texts.tryAgain, () => void checkRegistration(check));
      rows.exact.show('failed', paragraph(describeError(error)), paragraph(again));
    }
    rows.claims.show('notChecked', paragraph(texts.claimsUnknown));
  }
}

function showRegistration(registration: Registration, { rows: { exact }, session, fingerprint }: RegistrationCheck) {
  switch (registration.kind) {
    case 'notFound':
      exact.show(
        'notFound',
        paragraph(texts.exactNotFound),
        !registration.isChainKnown && paragraph(texts.chainBehind),
      );
      return;
    case 'onChain':
      exact.show('noted', paragraph(texts.onChainOnly[registration.source]));
      return;
    case 'recorded': {
      const { artifact } = registration;
      const isFailed = artifact.status === 'failed';
      exact.show(
        isFailed ? 'noted' : 'found',
        paragraph(texts.according(formatName(session.pin.name))),
        isFailed && paragraph(texts.registrationFailed),
        artifact.fingerprint !== fingerprint && paragraph(texts.signedCopy),
        facts(
          [texts.mark, ...describeMark(artifact)],
          'name' in artifact.mark ? [texts.identity, describeIdentityAtRegistration(artifact)] : undefined,
          isFailed ? undefined : [texts.registered, texts.formatTime(artifact.createdAt)],
          [texts.chainStatus, texts.chainStatuses[artifact.status]],
        ),
        quiet(describePossession(artifact)),
        quiet(texts.firstIsNotMaker),
        paragraph(link(artifactUrl(session, artifact), texts.openArtifact)),
      );
    }
  }
}

/** The name at registration, and the present one if it differs. */
function describeMark(artifact: Artifact): Child[] {
  const { metadata } = artifact;
  if (!metadata.mark) return [texts.privateMark];
  const change = describeNameChange(artifact);
  return [isolate(escapeHidden(metadata.mark.name)), change !== undefined && quiet(change)];
}

function showClaims(registration: Registration, { rows: { claims }, session }: RegistrationCheck): void {
  if (registration.kind !== 'recorded') {
    claims.show('notFound', paragraph(texts.claimsNeedRegistration));
    return;
  }
  const { artifact } = registration;
  const described = describeClaims(artifact.claims);
  if (described === undefined) {
    claims.show('notFound', paragraph(texts.claimsNone));
    return;
  }
  claims.show(
    artifact.claims.contested ? 'contested' : 'noted',
    paragraph(element('bdi', {}, described)),
    paragraph(link(artifactUrl(session, artifact), texts.readClaims)),
  );
}

function artifactUrl({ pin }: RegistrySession, { fingerprint }: Pick<Artifact, 'fingerprint'>): string {
  return `${pin.baseUrl}/artifacts/${fingerprint}`;
}
