// The text about the identity in a manifest: domains that the service had verified.

import type { ManifestIdentity } from '@provenance-registry/client';

/** One line for each domain. */
export function formatIdentity(identity: ManifestIdentity | undefined): string[] {
  const { issuer = '', domains = [] } = identity ?? {};
  return domains.map(
    ({ domain, verifiedAt }) => `Identity: ${domain}, checked by ${shorten(issuer)} on ${verifiedAt}.`,
  );
}

/** A `did:jwk` is the key itself, which no one compares by eye. */
function shorten(did: string): string {
  return did.startsWith('did:jwk:') ? `${did.slice(0, 24)}…` : did;
}
