// The Content Credentials inside the user's file in full: signer, validation, statements and history. All texts in them are
// untrusted.

import { type EmbeddedManifest, explanations } from '@provenance-registry/client';
import * as texts from '#texts/lookups/verifyCredentials';
import { Fact } from '../../ui/facts/Fact.js';
import * as factStyles from '../../ui/facts/Fact.module.css';
import { Notice } from '../../ui/feedback/Notice.js';
import { Button } from '../../ui/form/Button.js';
import { shortenFingerprint } from '../../ui/text/FingerprintText.js';
import { Link } from '../../ui/text/Link.js';
import { CredentialHistory, Failures, SignerName } from './CredentialHistory.js';
import { SigningTime } from './CredentialsRow.js';
import { Disclosure } from './Disclosure.js';
import { isFormOpen } from './ownSources.js';
import { IdentityFact } from './SignedIdentity.js';

interface CredentialsSectionProps {
  readonly manifest: EmbeddedManifest;
  /** Unfolded when the file is not known otherwise. */
  readonly isOpen: boolean;
}

export function CredentialsSection({ manifest, isOpen }: CredentialsSectionProps) {
  const { state, signer, trustedBy, generator, title, permissions, signedCopyOf, identity } = manifest;
  if (state === 'unreadable') return null;
  return (
    <Disclosure title={texts.details} isOpen={isOpen}>
      <Validation manifest={manifest} />
      <dl className={factStyles.facts}>
        {signer && (
          <Fact name={trustedBy ? texts.signedBy : texts.callsItself}>
            <SignerName signer={signer} />
          </Fact>
        )}
        <Fact name={texts.when}>
          <SigningTime manifest={manifest} />
        </Fact>
        {identity && <IdentityFact identity={identity} />}
        {signedCopyOf && (
          <Fact name={texts.registeredFile}>
            <Link to={`/#fingerprint=${signedCopyOf}`}>
              <code>{shortenFingerprint(signedCopyOf)}</code>
            </Link>
          </Fact>
        )}
        {title !== undefined && (
          <Fact name={texts.title}>
            <bdi>{title}</bdi>
          </Fact>
        )}
        {generator !== undefined && (
          <Fact name={texts.madeWith}>
            <bdi>{generator}</bdi>
          </Fact>
        )}
        {Object.keys(permissions).length > 0 && (
          <Fact name={texts.permissionsLabel}>
            <Permissions permissions={permissions} />
          </Fact>
        )}
      </dl>
      <CredentialHistory manifest={manifest} />
    </Disclosure>
  );
}

function Validation({ manifest: { state, trustedBy, failures } }: Pick<CredentialsSectionProps, 'manifest'>) {
  if (state === 'invalid') {
    return (
      <Notice tone="bad" title={texts.invalid}>
        <Failures codes={failures} />
      </Notice>
    );
  }
  if (trustedBy === 'caller') return <Notice tone="good" title={texts.intactByCaller} />;
  if (trustedBy === 'service') return <Notice tone="info" title={texts.intactByService} />;
  const addRoots = <Button onClick={() => isFormOpen.set(true)}>{texts.addRoots}</Button>;
  return (
    <Notice tone="warn" title={texts.intactUntrusted} actions={addRoots}>
      <p>{texts.anyoneCanName}</p>
    </Notice>
  );
}

const MAX_PERMISSIONS = 12;

function Permissions({ permissions }: Pick<EmbeddedManifest, 'permissions'>) {
  const entries = Object.entries(permissions);
  const others = entries.length - MAX_PERMISSIONS;
  return (
    <>
      {entries.slice(0, MAX_PERMISSIONS).map(([use, permission]) => (
        <span key={use} className={factStyles.line}>
          {texts.permission(<bdi>{explanations.uses.get(use) ?? use}</bdi>, explanations.permissions[permission])}
        </span>
      ))}
      {others > 0 && <span className={factStyles.quietLine}>{texts.andMore(others)}</span>}
    </>
  );
}
