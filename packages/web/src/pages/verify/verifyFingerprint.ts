// Verifies by everything that can be asked. In a file of its own, which is fetched when somebody wants that.

import { type RegistryClient, type Verification, verify } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';

export async function check(
  client: RegistryClient,
  fingerprint: Fingerprint,
  signal: AbortSignal,
): Promise<Verification> {
  const { rpcUrl } = await client.getContract({ signal });
  return verify(fingerprint, { client, chain: rpcUrl === undefined ? undefined : { rpcUrl }, signal });
}
