// The identity in a manifest, after its credential was checked: what the registry that signed it had verified by then.

import type { ManifestIdentity, Verification } from '@provenance-registry/client';
import * as texts from '#texts/lookups/verifyChecks';
import { Fact } from '../../ui/facts/Fact.js';
import * as factStyles from '../../ui/facts/Fact.module.css';
import { Timestamp } from '../../ui/text/Timestamp.js';
import * as evidenceStyles from './Evidence.module.css';

export function IdentityFact({ identity }: { readonly identity: ManifestIdentity }) {
  return (
    <Fact name={texts.identityWhenSigned}>
      {identity.domains.map(({ domain, verifiedAt }) => (
        <span key={domain} className={factStyles.line}>
          {texts.domainVerifiedSince(domain, <Timestamp at={verifiedAt} isDayOnly />)}{' '}
          <small className={evidenceStyles.evidence}>{texts.evidenceNames.manifest}</small>
        </span>
      ))}
    </Fact>
  );
}

/** Undefined without an identity that was checked. */
export function signedIdentity({ checks }: Verification): ManifestIdentity | undefined {
  const { state, details } = checks.manifest;
  return state === 'confirmed' || state === 'agrees' ? details.identity : undefined;
}

/** False for a manifest that only the service vouches for: the service's word. */
export function isIdentityCarried({ independentSources }: Verification): boolean {
  return independentSources.includes('manifest');
}
