// Registers a fingerprint, or finds the Artifact that it already has.

import type { Artifact, api } from '@provenance-registry/core';
import type { InputOf, RegistryClient } from './client.js';
import type { CallOptions } from './clientOptions.js';
import { ApiError } from './errors.js';

/**
 * The fields of a registration: `markId`, `fingerprint` and `filename`; the others are optional.
 * @example
 * ```ts
 * const input: RegistrationInput = { markId, fingerprint, filename: 'sunrise.jpg', size: 482_133 };
 * ```
 */
export type RegistrationInput = InputOf<typeof api.createArtifact>;

/**
 * What {@link registerOrFind} found or created.
 * @example
 * ```ts
 * const { artifact, isNew, isSameMark }: RegistrationResult = await registerOrFind(client, input);
 * ```
 */
export interface RegistrationResult {
  readonly artifact: Artifact;
  /** True when this call, or an earlier one with the same idempotency key, created the Artifact. */
  readonly isNew: boolean;
  /** False when the fingerprint was registered earlier under a Mark other than the requested one. */
  readonly isSameMark: boolean;
}

/**
 * Registers a fingerprint under a Mark. When the fingerprint has an Artifact already, returns that one.
 *
 * All attempts share one idempotency key: a creation whose response was lost is not reported as a duplicate. Pass your own
 * `idempotencyKey` to keep that across restarts of your program, and a new one to register again what has `failed`.
 * @throws ApiError with code `CONFLICT` when the idempotency key was used for another request, and with the other codes of
 * `createArtifact` when the registration is refused.
 * @example
 * ```ts
 * const { artifact, isNew, isSameMark } = await registerOrFind(client, { markId, fingerprint, filename: 'sunrise.jpg' });
 * if (!isNew && !isSameMark) console.log(`Already registered under the Mark ${artifact.mark.id}.`);
 * ```
 */
export async function registerOrFind(
  client: Pick<RegistryClient, 'createArtifact' | 'getArtifact'>,
  input: RegistrationInput,
  options: CallOptions = {},
): Promise<RegistrationResult> {
  try {
    const artifact = await client.createArtifact(input, options);
    return { artifact, isNew: true, isSameMark: true };
  } catch (error) {
    if (!hasCode(error, 'CONFLICT')) throw error;
    const artifact = await findRegistered(client, input.fingerprint, options);
    // Nothing holds the fingerprint: the conflict is about the idempotency key.
    if (!artifact) throw error;
    return { artifact, isNew: false, isSameMark: artifact.mark.id === input.markId };
  }
}

/** Undefined when there is no Artifact, or only a failed one. */
export async function findRegistered(
  client: Pick<RegistryClient, 'getArtifact'>,
  fingerprint: RegistrationInput['fingerprint'],
  { signal }: CallOptions,
): Promise<Artifact | undefined> {
  try {
    const artifact = await client.getArtifact({ fingerprint }, { signal });
    return artifact.status === 'failed' ? undefined : artifact;
  } catch (error) {
    if (hasCode(error, 'NOT_FOUND')) return undefined;
    throw error;
  }
}

export function hasCode(error: unknown, code: ApiError['code']): boolean {
  return error instanceof ApiError && error.code === code;
}
