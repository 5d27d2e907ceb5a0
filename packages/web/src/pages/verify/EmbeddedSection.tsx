// The manifest inside the user's file: signer, validation and history, in plain words. All texts in it are a stranger's.

import type { EmbeddedManifest, ManifestAction, ManifestSigner, ManifestStep } from '@provenance-registry/client';
import { Fact } from '../../ui/Fact.js';
import { shortenFingerprint } from '../../ui/FingerprintText.js';
import { pluralize } from '../../ui/format.js';
import { Link } from '../../ui/Link.js';
import { Notice, type Tone } from '../../ui/Notice.js';
import { describeSourceType } from '../../ui/sourceTypes.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { IdentityFact } from './SignedIdentity.js';

export function EmbeddedSection({ embedded }: { readonly embedded: EmbeddedManifest }) {
  const { state, signer, generator, title, timestamp, permissions, signedCopyOf, identity } = embedded;
  const { tone, text } = describeState(embedded);
  return (
    <section className="embedded stack">
      <h3>Content Credentials in your file</h3>
      <Notice tone={tone} title={text}>
        {state === 'invalid' && <Failures codes={embedded.failures} />}
      </Notice>
      {state !== 'unreadable' && (
        <dl className="facts">
          {signer && (
            <Fact name="Signed by">
              <SignerName signer={signer} />
              {timestamp && (
                <>
                  , <Timestamp at={timestamp.at} />
                </>
              )}
            </Fact>
          )}
          {identity && <IdentityFact identity={identity} />}
          {signedCopyOf && (
            <Fact name="Registered file">
              <Link to={`/#fingerprint=${signedCopyOf}`}>
                <code>{shortenFingerprint(signedCopyOf)}</code>
              </Link>
            </Fact>
          )}
          {title !== undefined && (
            <Fact name="Title">
              <bdi>{title}</bdi>
            </Fact>
          )}
          {generator !== undefined && (
            <Fact name="Made with">
              <bdi>{generator}</bdi>
            </Fact>
          )}
          {Object.keys(permissions).length > 0 && <Fact name="Permissions">{describePermissions(permissions)}</Fact>}
        </dl>
      )}
      <History embedded={embedded} />
    </section>
  );
}

function describeState({ state, reason, trustedBy }: EmbeddedManifest): { tone: Tone; text: string } {
  if (state === 'unreadable') return { tone: 'info', text: reason ?? 'The manifest cannot be read.' };
  if (state === 'invalid') {
    return {
      tone: 'bad',
      text: 'Not valid: the file or its manifest was changed after it was signed, or never fit together.',
    };
  }
  if (trustedBy === 'caller') {
    return { tone: 'good', text: 'Unchanged since it was signed, by a signer under the roots that you named.' };
  }
  if (trustedBy === 'service') {
    return {
      tone: 'info',
      text: 'Unchanged since it was signed, by this registry according to the roots that it publishes. That is its own word.',
    };
  }
  return {
    tone: 'info',
    text: 'Unchanged since it was signed. Who signed it was not checked: anyone can make a certificate with this name.',
  };
}

/** Maps, because keys such as `constructor` come from files of strangers. */
const failureTexts: ReadonlyMap<string, string> = new Map([
  ['assertion.dataHash.mismatch', 'The content of the file was changed.'],
  ['assertion.bmffHash.mismatch', 'The content of the file was changed.'],
  ['assertion.boxesHash.mismatch', 'The content of the file was changed.'],
  ['assertion.hashedURI.mismatch', 'A statement in the manifest was changed.'],
  ['assertion.missing', 'A statement in the manifest was removed.'],
  ['claimSignature.mismatch', 'The signature does not fit.'],
  ['claimSignature.outsideValidity', 'The certificate was not valid at that time.'],
  ['signingCredential.expired', 'The certificate had expired.'],
  ['signingCredential.invalid', 'The certificate may not be used for this.'],
  ['ingredient.manifest.mismatch', 'An earlier version in the history was changed.'],
]);

function Failures({ codes }: { readonly codes: readonly string[] }) {
  return (
    <ul>
      {codes.map((code) => (
        <li key={code}>
          {failureTexts.get(code)} <code>{code}</code>
        </li>
      ))}
    </ul>
  );
}

function SignerName({ signer: { name, issuer } }: { readonly signer: ManifestSigner }) {
  const names = [name, issuer].filter((text) => text !== undefined);
  return names.length === 0 ? 'a certificate without a name' : <bdi>{names.join(', ')}</bdi>;
}

const permissionTexts = {
  allowed: 'allowed',
  notAllowed: 'not allowed',
  constrained: 'allowed under conditions',
} as const;

const useTexts: ReadonlyMap<string, string> = new Map([
  ['ai_training', 'training AI'],
  ['ai_generative_training', 'training generative AI'],
  ['ai_inference', 'use by AI'],
  ['data_mining', 'data mining'],
]);

function describePermissions(permissions: EmbeddedManifest['permissions']) {
  return Object.entries(permissions).map(([use, permission]) => (
    <span key={use} className="fact-line">
      <bdi>{useTexts.get(use) ?? use}</bdi>: {permissionTexts[permission]}
    </span>
  ));
}

function History({ embedded: { history, omittedSteps } }: { readonly embedded: EmbeddedManifest }) {
  if (history.length === 0) return null;
  return (
    <details>
      <summary>History: {pluralize(history.length + omittedSteps, 'version')}, oldest first</summary>
      {omittedSteps > 0 && <p className="quiet">{pluralize(omittedSteps, 'earlier version')} not shown.</p>}
      <ol className="history">
        {history.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and steps have nothing unique
          <Step key={index} step={step} />
        ))}
      </ol>
      <p className="quiet">The history is what the signers state. Earlier signers were not compared with any roots.</p>
    </details>
  );
}

const relationships: ReadonlyMap<string, string> = new Map([
  ['parentOf', 'Earlier version'],
  ['componentOf', 'Part'],
  ['inputTo', 'Input'],
]);

function Step({ step }: { readonly step: ManifestStep }) {
  const { title, relationship, signer, signedAt, generator, actions, failures } = step;
  return (
    <li>
      <p>
        <strong>{relationship === undefined ? 'Your file' : (relationships.get(relationship) ?? 'Ingredient')}</strong>
        {title !== undefined && (
          <>
            : <bdi>{title}</bdi>
          </>
        )}
        <br />
        <span className="quiet">
          {signer ? (
            <>
              signed by <SignerName signer={signer} />
              {signedAt !== undefined && (
                <>
                  , <Timestamp at={signedAt} />
                </>
              )}
              {generator !== undefined && (
                <>
                  , with <bdi>{generator}</bdi>
                </>
              )}
            </>
          ) : (
            'without a manifest'
          )}
        </span>
      </p>
      {failures.length > 0 && <Failures codes={failures} />}
      {actions.length > 0 && (
        <ul>
          {actions.map((action, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and actions have nothing unique
            <li key={index}>
              <Action action={action} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

const actionTexts: ReadonlyMap<string, string> = new Map([
  ['c2pa.created', 'Created'],
  ['c2pa.opened', 'Opened'],
  ['c2pa.edited', 'Edited'],
  ['c2pa.cropped', 'Cropped'],
  ['c2pa.resized', 'Resized'],
  ['c2pa.placed', 'Placed another file in it'],
  ['c2pa.color_adjustments', 'Colors adjusted'],
  ['c2pa.converted', 'Converted to another format'],
  ['c2pa.transcoded', 'Encoded again'],
  ['c2pa.published', 'Published'],
  ['c2pa.redacted', 'Information removed'],
]);

function Action({
  action: { action, when, softwareAgent, digitalSourceType, description },
}: {
  action: ManifestAction;
}) {
  const source = digitalSourceType?.split('/').at(-1);
  return (
    <>
      {actionTexts.get(action) ?? <bdi>{action}</bdi>}
      {source !== undefined && (
        <>
          , <bdi>{describeSourceType(source)}</bdi>
        </>
      )}
      {softwareAgent !== undefined && (
        <>
          , with <bdi>{softwareAgent}</bdi>
        </>
      )}
      {when !== undefined && (
        <>
          , <Timestamp at={when} />
        </>
      )}
      {description !== undefined && (
        <>
          : <bdi>{description}</bdi>
        </>
      )}
    </>
  );
}
