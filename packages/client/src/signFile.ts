// Signs an image, whether it is registered already or not.

import type { Artifact, Fingerprint } from '@provenance-registry/core';
import type { ImageInput, RegistryClient } from './client.js';
import type { CallOptions } from './clientOptions.js';
import { ApiError, InvalidArgumentError } from './errors.js';
import { findRegistered, hasCode } from './registerOrFind.js';
import type { SignedCopy } from './signedCopy.js';

/**
 * An image to sign. `markId` and what describes the file are used when it is not registered yet.
 * @example
 * ```ts
 * const input: SignFileInput = { markId, fingerprint, file, filename: 'sunrise.jpg', digitalSourceType: 'digitalCapture' };
 * ```
 */
export type SignFileInput = Omit<ImageInput, 'fingerprint'> & {
  /** The fingerprint of the file, as `hashFile` and `hashBlob` compute it. */
  readonly fingerprint: Fingerprint;
};

/**
 * The result of {@link signFile}.
 * @example
 * ```ts
 * const { image, isNew }: SignedFile = await signFile(client, input);
 * ```
 */
export interface SignedFile extends SignedCopy {
  /** True when this call registered the file. */
  readonly isNew: boolean;
}

/**
 * Returns an image with its manifest embedded: registers it if it is not registered, and else asks for a signed copy. The
 * image is sent to the service, which does not store it.
 *
 * A signed copy takes one of the few that an Artifact can have, also when its response is lost. So the request is repeated
 * only while no connection can be made; after any other failure, look at the Artifact's `renditions` before you try again.
 * @throws InvalidArgumentError when the file is a signed copy itself.
 * @throws ApiError with code `UNSUPPORTED_MEDIA_TYPE` when no manifest can be embedded in it, `FORBIDDEN` when it is
 * registered under a Mark of others, and `CONFLICT` when the Artifact can have no further copies.
 * @example
 * ```ts
 * const file = await openAsBlob('sunrise.jpg');
 * const { fingerprint } = await hashFile('sunrise.jpg');
 * const { image } = await signFile(client, { markId, fingerprint, file, filename: 'sunrise.jpg' });
 * await writeFile('sunrise.signed.jpg', image);
 * ```
 */
export async function signFile(
  client: Pick<RegistryClient, 'getArtifact' | 'signImage' | 'createSignedCopy'>,
  input: SignFileInput,
  options: CallOptions = {},
): Promise<SignedFile> {
  const registered = await findRegistered(client, input.fingerprint, options);
  if (registered) return copyRegistered(client, registered, input, options);
  try {
    return await registerNew(client, input, options);
  } catch (error) {
    // Registered in the meantime, or refused for another reason.
    const existing = hasCode(error, 'CONFLICT') && (await findRegistered(client, input.fingerprint, options));
    if (!existing) throw error;
    return copyRegistered(client, existing, input, options);
  }
}

async function registerNew(
  client: Pick<RegistryClient, 'signImage'>,
  input: SignFileInput,
  options: CallOptions,
): Promise<SignedFile> {
  const signed = await client.signImage(input, options);
  if (signed.image) return { ...signed, isNew: true };
  const message = 'The file was registered, but a manifest cannot be embedded in a file of this format.';
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 415, message);
}

async function copyRegistered(
  client: Pick<RegistryClient, 'createSignedCopy'>,
  artifact: Artifact,
  { fingerprint, file }: SignFileInput,
  { signal }: CallOptions,
): Promise<SignedFile> {
  if (artifact.fingerprint !== fingerprint) {
    throw new InvalidArgumentError(`The file is a signed copy of ${artifact.fingerprint} already.`);
  }
  return { ...(await client.createSignedCopy({ fingerprint, file }, { signal })), isNew: false };
}
