// Whether exactly this file is registered, and which claims there are to the registration: the registry's statements, asked
// for by the first digits of the fingerprint.

import { type Disclosure, explanations, type Lookup, lookUp } from '@provenance-registry/client';
import { type Artifact, describeClaims, type Fingerprint, formatName } from '@provenance-registry/core';
import { ArtifactFacts } from '@provenance-registry/web/ui/artifact/ArtifactFacts.js';
import * as factStyles from '@provenance-registry/web/ui/facts/Fact.module.css';
import * as basics from '@provenance-registry/web/ui/layout/basics.module.css';
import { Link } from '@provenance-registry/web/ui/text/Link.js';
import * as texts from '../texts/en.js';
import type { ShowFinding } from './findings.js';
import { Retry } from './Retry.js';
import { RegistryChangedError, type RegistrySession } from './registrySession.js';

interface RegistrationCheck {
  readonly fingerprint: Fingerprint;
  readonly session: RegistrySession;
  readonly showExact: ShowFinding;
  readonly showClaims: ShowFinding;
  readonly signal: AbortSignal;
  readonly onDisclosed: (disclosure: Disclosure) => void;
  readonly onChanged: (fingerprint: string) => void;
}

export async function checkRegistration(check: RegistrationCheck): Promise<void> {
  const { fingerprint, session, showExact, signal, onDisclosed, onChanged } = check;
  showExact('checking');
  check.showClaims('checking');
  try {
    const client = await session.requireConfirmed();
    // The details of an entry on chain would tell the registry which file it is, for little.
    const lookup = await lookUp(client, fingerprint, { detailsOf: ['artifact'], signal });
    signal.throwIfAborted();
    onDisclosed(lookup.disclosure);
    showRegistration(lookup, check);
    showClaims(lookup, check);
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof RegistryChangedError) {
      showExact('changed', <p>{explanations.claims.unknown}</p>);
      onChanged(error.fingerprint);
    } else showExact('failed', <Retry error={error} onRetry={() => void checkRegistration(check)} />);
    check.showClaims('notChecked', <p>{explanations.claims.unknown}</p>);
  }
}

function showRegistration(lookup: Lookup, { showExact, session }: RegistrationCheck) {
  const { match, source = 'public', artifact, isChainKnown = true, signedCopyOf } = lookup;
  if (match === 'none') {
    return showExact(
      'notFound',
      <>
        <p>{explanations.matches.none}</p>
        {!isChainKnown && <p>{explanations.chainBehind}</p>}
      </>,
    );
  }
  if (!artifact) return showExact('noted', <p>{explanations.chainEntries[source]}</p>);
  return showExact(
    'noted',
    <>
      <p>{texts.according(formatName(session.pin.name))}</p>
      {signedCopyOf !== undefined && <p>{explanations.signedCopy}</p>}
      <dl className={factStyles.facts}>
        <ArtifactFacts artifact={artifact} />
      </dl>
      <p className={basics.quiet}>{texts.firstIsNotMaker}</p>
      <ArtifactLink artifact={artifact} label={texts.openArtifact} />
    </>,
  );
}

function showClaims({ artifact }: Lookup, { showClaims: show }: RegistrationCheck) {
  if (!artifact) return show('notFound', <p>{explanations.claims.notRegistered}</p>);
  const described = describeClaims(artifact.claims);
  if (described === undefined) return show('notFound', <p>{explanations.claims.none}</p>);
  return show(
    artifact.claims.contested ? 'contested' : 'noted',
    <>
      <p>
        <bdi>{described}</bdi>
      </p>
      <ArtifactLink artifact={artifact} label={texts.readClaims} />
    </>,
  );
}

function ArtifactLink({ artifact, label }: { readonly artifact: Artifact; readonly label: string }) {
  return (
    <p>
      <Link to={`/artifacts/${artifact.fingerprint}`}>{label}</Link>
    </p>
  );
}
