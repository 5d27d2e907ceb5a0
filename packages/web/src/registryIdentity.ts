// Reads who this registry says that it is.

import { type RegistryIdentity, registryFingerprint, shortFingerprint } from '@provenance-registry/core';
import { createPageClient } from './registryClient.js';

/** The identity with its fingerprint, computed from the certificates. */
export async function readRegistryIdentity(
  signal: AbortSignal,
): Promise<RegistryIdentity & { readonly fingerprint: string }> {
  const identity = await createPageClient(() => undefined).getRegistryIdentity({ signal });
  return { ...identity, fingerprint: shortFingerprint(registryFingerprint(identity)) };
}
