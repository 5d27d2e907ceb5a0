// What c2pa-rs trusts and which checks it runs.

import { trustedPurposes } from '@provenance-registry/core';
import { didDocumentUrl, type IdentityIssuer } from '../signing/identityIssuer.js';

export interface ReaderSettings {
  /** Those of c2pa-rs. */
  readonly json: string;
  /** DID document of the issuer whose credentials are trusted. */
  readonly didDocument?: { readonly url: string; readonly json: string };
}

export type TrustedIssuer = Pick<IdentityIssuer, 'did' | 'document'>;

/** @param issuer whose identity credentials are trusted: the service itself */
export function readerSettings(trustAnchorsPem: string, issuer?: TrustedIssuer): ReaderSettings {
  const json = JSON.stringify({
    trust: {
      trust_config: trustedPurposes,
      // c2pa-rs rejects a list without certificates.
      ...(trustAnchorsPem.trim() !== '' && { trust_anchors: trustAnchorsPem }),
      ...(issuer && { anchors: [{ trust_kind: 'cawg', trust_anchors: '', trusted_ica_issuers: [issuer.did] }] }),
    },
    verify: {
      verify_after_reading: true,
      verify_trust: true,
      verify_timestamp_trust: true,
      remote_manifest_fetch: false,
      ocsp_fetch: false,
    },
  });
  const url = issuer && didDocumentUrl(issuer.did);
  return { json, ...(url !== undefined && { didDocument: { url, json: JSON.stringify(issuer?.document) } }) };
}
