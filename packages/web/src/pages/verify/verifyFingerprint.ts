// Verifies a fingerprint with the service, the chain and the signed manifest. A module of its own, because the verifier
// is large and loads on demand.

import { type RegistryClient, type Verification, verify } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';

export async function verifyFingerprint(
  client: RegistryClient,
  fingerprint: Fingerprint,
  signal: AbortSignal,
): Promise<Verification> {
  const { rpcUrl } = await client.getContract({ signal });
  return verify(fingerprint, { client, chain: rpcUrl === undefined ? undefined : { rpcUrl }, signal });
}
