// The registry during one check: asked who it is before it is asked anything else, and believed only if it is the one that
// the user confirmed.

import type { RegistryClient } from '@provenance-registry/client';
import { connect, type RegistryPin, readIdentity } from '../registryPin.js';

/** The registry has another identity than the one that the user confirmed. */
export class RegistryChangedError extends Error {
  constructor(readonly fingerprint: string) {
    super('the identity of the registry has changed');
  }
}

export interface RegistrySession {
  readonly pin: RegistryPin;
  /** The client of the confirmed registry. Throws RegistryChangedError, and the errors of the SDK. */
  requireConfirmed(): Promise<RegistryClient>;
}

export function openSession(pin: RegistryPin, signal: AbortSignal): RegistrySession {
  let confirmed: Promise<RegistryClient> | undefined;
  const confirm = async () => {
    const client = connect(pin);
    const { identity, fingerprint } = await readIdentity(client, signal);
    if (fingerprint !== pin.fingerprint) throw new RegistryChangedError(fingerprint);
    // Asked again for its roots, it could name others than those that were confirmed.
    return { ...client, getRegistryIdentity: async () => identity };
  };
  return {
    pin,
    requireConfirmed() {
      confirmed ??= confirm().catch((error: unknown) => {
        // The next check reads it again.
        confirmed = undefined;
        throw error;
      });
      return confirmed;
    },
  };
}
