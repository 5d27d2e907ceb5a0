// The identity assertion (CAWG 1.2): a verifiable credential in which the service states which domains it has verified for
// the Mark, bound to the assertions about the file.

import type { ManifestIdentity, ManifestStatements } from '../../domain/ports/index.js';
import { encodeCredential } from '../signing/cose.js';
import type { IdentityIssuer } from '../signing/identityIssuer.js';
import { createdAssertion } from './assertions.js';
import type { HashedUri } from './jumbf.js';
import type { Assertion, Signing } from './manifestStore.js';
import { IDENTITY_LABEL } from './report.js';

const SIGNATURE_TYPE = 'cawg.identity_claims_aggregation';
/** What the identity stands behind: the file, its fingerprint, and what names the Mark. */
const REFERENCED = /^(c2pa\.hash\.|c2pa\.soft-binding$|cawg\.metadata$)/;
/** CAWG's names. */
const methods = { dns: 'cawg.dns_record', file: 'cawg.uri_file_verification' } as const;

/** They come after the assertions that they refer to. */
export function identityAssertions(
  { identity }: Pick<ManifestStatements, 'identity'>,
  { issuer }: Pick<Signing, 'issuer'>,
): Assertion[] {
  if (!identity) return [];
  if (!issuer) throw new Error('there is no key for identity credentials');
  return [identityAssertion(identity, issuer)];
}

function identityAssertion({ domains }: ManifestIdentity, issuer: IdentityIssuer): Assertion {
  const verifiedIdentities = domains.map(({ domain, method, since }) => ({
    type: 'cawg.web_site',
    uri: `https://${domain}`,
    method: methods[method],
    verifiedAt: since.toISOString(),
    provider: { id: issuer.did, name: issuer.name },
  }));
  // In the past, whatever the clocks of readers and time-stamp authorities show.
  const validFrom = new Date(Math.max(...domains.map(({ since }) => since.getTime()))).toISOString();
  return createdAssertion(IDENTITY_LABEL, (before: ReadonlyMap<string, HashedUri>) => {
    const referenced = [...before].filter(([label]) => REFERENCED.test(label)).map(([, uri]) => uri);
    const credential = {
      '@context': ['https://www.w3.org/ns/credentials/v2', 'https://cawg.io/identity/1.1/ica/context/'],
      type: ['VerifiableCredential', 'IdentityClaimsAggregationCredential'],
      issuer: issuer.did,
      validFrom,
      credentialSubject: {
        verifiedIdentities,
        c2paAsset: { referenced_assertions: referenced.map(toJson), sig_type: SIGNATURE_TYPE },
      },
    };
    return {
      signer_payload: { referenced_assertions: referenced, sig_type: SIGNATURE_TYPE },
      signature: encodeCredential(Buffer.from(JSON.stringify(credential)), issuer),
      pad1: new Uint8Array(0),
    };
  });
}

function toJson({ url, hash }: HashedUri) {
  return { url, hash: Buffer.from(hash).toString('base64') };
}
