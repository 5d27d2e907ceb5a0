// Requests a signed copy of a registered file. The file is sent only if it is the registered one.

import { ApiError, type RegistryClient } from '@provenance-registry/client';
import { hashBlob } from '@provenance-registry/client/browser';
import type { ErrorCode, Fingerprint } from '@provenance-registry/core';
import * as texts from '#texts/site/errors';
import { describeError } from './errorMessages.js';

class DifferentFileError extends Error {}

export async function requestSignedCopy(
  client: Pick<RegistryClient, 'createSignedCopy'>,
  fingerprint: Fingerprint,
  file: File,
): Promise<Blob> {
  const hashed = await hashBlob(file);
  if (hashed.fingerprint !== fingerprint) throw new DifferentFileError();
  const { image, mediaType } = await client.createSignedCopy({ fingerprint, file });
  return new Blob([image], { type: mediaType });
}

/** The service's message names the reason: the format, the number of copies, or what is wrong with the image. */
const specificCodes: readonly ErrorCode[] = ['BAD_REQUEST', 'CONFLICT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

export function describeCopyError(error: unknown): string {
  if (error instanceof DifferentFileError) return texts.differentFile;
  if (error instanceof DOMException) return texts.unreadableFile;
  if (error instanceof ApiError && specificCodes.includes(error.code)) return texts.noSignedCopy(error.message);
  return describeError(error, { FORBIDDEN: texts.mayNotRegister });
}
