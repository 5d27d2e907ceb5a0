// Registers one row of the queue, by its fingerprint or by uploading the file.

import {
  ApiError,
  type RegistrationInput,
  type RegistrationResult,
  type RegistryClient,
  registerOrFind,
  ServiceUnreachableError,
} from '@provenance-registry/client';
import type { Artifact } from '@provenance-registry/core';
import * as texts from '#texts/artifacts/register';
import { describeError, hasErrorCode } from '../../../errorMessages.js';
import type { SendResult } from './queue.js';
import { type HashedRow, rowStateFor } from './queueRow.js';

type Client = Pick<RegistryClient, 'createArtifact' | 'getArtifact' | 'listMarks' | 'signImage'>;

export function createRowSender(client: Client): (row: HashedRow, file: File | undefined) => Promise<SendResult> {
  return async (row, file) => {
    try {
      return await (file ? registerByUpload(client, row, file) : registerFingerprint(client, row));
    } catch (error) {
      return describeFailure(error, row.markId);
    }
  };
}

async function registerFingerprint(client: Client, row: HashedRow): Promise<SendResult> {
  const { artifact, isNew } = await registerWithCodes(client, row);
  if (!isNew) return describeDuplicate(client, row, artifact);
  const { status, errorReason, similarTo } = artifact;
  const similar = similarTo?.map(({ fingerprint, mark, registeredAt }) => ({
    fingerprint,
    markName: mark.name,
    registeredAt,
  }));
  return { state: rowStateFor(status), note: errorReason ?? undefined, ...(similar && { similar }) };
}

/** A file whose codes the service refuses, because its Mark is private by now, is registered without. */
async function registerWithCodes(client: Client, row: HashedRow): Promise<RegistrationResult> {
  const options = { idempotencyKey: row.idempotencyKey };
  try {
    return await registerOrFind(client, { ...toInput(row), ...row.codes }, options);
  } catch (error) {
    if (!row.codes || !hasErrorCode(error, 'BAD_REQUEST')) throw error;
    return registerOrFind(client, toInput(row), options);
  }
}

async function registerByUpload(client: Client, row: HashedRow, file: File): Promise<SendResult> {
  try {
    const { image, mediaType } = await client.signImage(
      { ...toInput(row), file },
      { idempotencyKey: row.idempotencyKey },
    );
    if (!image || mediaType === undefined) return { state: 'pending', copyNote: texts.noCopyOfContent };
    return { state: 'pending', copy: new Blob([image], { type: mediaType }) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'CONFLICT') return describeConflict(client, row, error);
    if (error.code === 'BAD_REQUEST') return { state: 'failed', note: `${error.message} ${texts.withoutCopy}` };
    if (error.code !== 'UNSUPPORTED_MEDIA_TYPE' && error.code !== 'PAYLOAD_TOO_LARGE') throw error;
    // Nothing was recorded.
    return { ...(await registerFingerprint(client, row)), copyNote: texts.noCopy(error.message) };
  }
}

/** The file is registered; or the service says why it cannot be. */
async function describeConflict(client: Client, row: HashedRow, error: ApiError): Promise<SendResult> {
  try {
    const artifact = await client.getArtifact({ fingerprint: row.fingerprint });
    if (artifact.status !== 'failed') return await describeDuplicate(client, row, artifact);
  } catch (thrown) {
    if (!hasErrorCode(thrown, 'NOT_FOUND')) throw thrown;
  }
  return { state: 'failed', note: error.message };
}

async function describeDuplicate(client: Client, row: HashedRow, artifact: Artifact): Promise<SendResult> {
  const { mark } = artifact;
  const isOwn = mark.id === row.markId || (await client.listMarks()).some(({ id }) => id === mark.id);
  return {
    state: isOwn ? 'yours' : 'others',
    note: 'name' in mark ? mark.name : undefined,
    isSignedCopy: artifact.fingerprint !== row.fingerprint,
  };
}

function toInput(row: HashedRow): RegistrationInput {
  const { markId, fingerprint, filename, mediaType, size, lastModified, digitalSourceType, authorshipStated } = row;
  return { markId, fingerprint, filename, mediaType, size, lastModified, digitalSourceType, authorshipStated };
}

/** Some errors apply to all waiting rows: they stop the queue, and the row stays in it. */
function describeFailure(error: unknown, markId: string): SendResult {
  if (error instanceof ServiceUnreachableError) return { stopReason: 'network' };
  if (hasErrorCode(error, 'UNAUTHORIZED')) return { stopReason: 'login' };
  if (hasErrorCode(error, 'TIER_RESTRICTION')) return { stopReason: { limitedMarkId: markId } };
  return { state: 'failed', note: describeError(error, errorMessages) };
}

const errorMessages = {
  FORBIDDEN: texts.mayNotRegister,
  NOT_FOUND: texts.markGone,
  BAD_REQUEST: texts.rejected,
};
