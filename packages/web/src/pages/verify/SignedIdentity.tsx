// The identity in a manifest, after its credential was checked: what the registry that signed it had verified by then.

import type { FileVerification, ManifestIdentity } from '@provenance-registry/client';
import * as texts from '#texts/verifyChecks';
import { Fact } from '../../ui/Fact.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { isConfirmed } from './confirmation.js';

export function IdentityFact({ identity }: { readonly identity: ManifestIdentity }) {
  return (
    <Fact name={texts.identityWhenSigned}>
      {identity.domains.map(({ domain, verifiedAt }) => (
        <span key={domain} className="fact-line">
          {texts.domainVerifiedSince(domain, <Timestamp at={verifiedAt} isDayOnly />)}{' '}
          <span className="evidence">{texts.evidenceNames.manifest}</span>
        </span>
      ))}
    </Fact>
  );
}

/** Undefined without an identity that was checked. */
export function signedIdentity({ checks }: FileVerification): ManifestIdentity | undefined {
  const { state, details } = checks.manifest;
  return state === 'confirmed' ? details.identity : undefined;
}

/** False for a manifest that only the service vouches for, beside an independent chain: the service's word. */
export function isIdentityCarried(verification: FileVerification): boolean {
  return !isConfirmed(verification) || verification.independentSources.includes('manifest');
}
