import { ApiError, ServiceUnreachableError, type SignedImage } from '@provenance-registry/client';
import { type Artifact, type ErrorCode, errorStatus, exampleArtifact, exampleMark } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import { exampleRow } from './exampleRow.js';
import type { HashedRow } from './queueRow.js';
import { createRowSender } from './rowSender.js';

const row: HashedRow = { ...exampleRow, folder: 'private/holiday', state: 'sending' };

const apiError = (code: ErrorCode) => new ApiError(code, errorStatus[code], code);

interface Responses {
  readonly creation: Artifact | Error;
  readonly existing?: Artifact | Error;
  readonly ownMarks?: readonly (typeof exampleMark)[] | Error;
  readonly image?: SignedImage | Error;
}

const noImage = { image: undefined, mediaType: undefined, location: undefined, manifestUrl: undefined };
const file = new File(['a'], 'a.jpg', { type: 'image/jpeg' });

function sendRow(responses: Responses, sent = row, sentFile?: File) {
  const { creation, existing = exampleArtifact, ownMarks = [exampleMark], image = noImage } = responses;
  const requests: unknown[] = [];
  const settle = async <T>(value: T | Error): Promise<T> => {
    if (value instanceof Error) throw value;
    return value;
  };
  const send = createRowSender({
    createArtifact: (...request) => {
      requests.push(...request);
      return settle(creation);
    },
    signImage: (...request) => {
      requests.push(...request);
      return settle(image);
    },
    getArtifact: () => settle(existing),
    listMarks: async () => (await settle(ownMarks)).map((mark) => ({ ...mark, members: [] })),
  });
  return { requests, result: send(sent, sentFile) };
}

test('fingerprint and file fields are sent with the idempotency key, without the folder', async () => {
  const { requests, result } = sendRow({ creation: exampleArtifact });
  expect(await result).toEqual({ state: 'pending', note: undefined });
  const { markId, fingerprint, filename, mediaType, size, lastModified } = row;
  expect(requests).toEqual([
    {
      markId,
      fingerprint,
      filename,
      mediaType,
      size,
      lastModified,
      digitalSourceType: undefined,
      authorshipStated: false,
    },
    { idempotencyKey: 'key' },
  ]);
});

test('codes are sent with the fingerprint, and left out if the service refuses them', async () => {
  const codes = { pHash: `0x${'1'.repeat(16)}`, dHash: `0x${'2'.repeat(16)}` };
  const { fingerprint, createdAt: registeredAt } = exampleArtifact;
  const mark = { id: exampleMark.id, name: 'Older' };
  const similarTo = [
    { fingerprint, mark, distance: 1, grade: 'near-identical' as const, hashesBy: 'client' as const, registeredAt },
  ];
  const { requests, result } = sendRow({ creation: { ...exampleArtifact, similarTo } }, { ...row, codes });
  expect(await result).toMatchObject({ similar: [{ fingerprint, markName: 'Older', registeredAt }] });
  expect(requests[0]).toMatchObject(codes);
  const refused = sendRow({ creation: apiError('BAD_REQUEST') }, { ...row, codes });
  await refused.result;
  expect(refused.requests.filter((request) => JSON.stringify(request).includes('filename'))).toEqual([
    expect.objectContaining(codes),
    expect.not.objectContaining(codes),
  ]);
});

test('an uploaded file returns with its signed copy, or registered without one if its content cannot hold it', async () => {
  const creation = apiError('INTERNAL');
  const signed = { ...noImage, image: new Uint8Array([7]), mediaType: 'image/jpeg' };
  const { requests, result } = sendRow({ creation, image: signed }, row, file);
  const sent = await result;
  expect(sent).toEqual({ state: 'pending', copy: expect.any(Blob) });
  expect('copy' in sent && (await sent.copy?.bytes())).toEqual(signed.image);
  expect(requests).toMatchObject([{ fingerprint: row.fingerprint, file }, { idempotencyKey: 'key' }]);
  expect(await sendRow({ creation }, row, file).result).toMatchObject({
    state: 'pending',
    copyNote: expect.stringContaining('cannot hold'),
  });
});

test('what the service cannot sign is registered by its fingerprint, with the reason', async () => {
  const image = new ApiError('UNSUPPORTED_MEDIA_TYPE', 415, 'This TIFF has several pages.');
  const { result } = sendRow({ creation: exampleArtifact, image }, row, file);
  expect(await result).toMatchObject({ state: 'pending', copyNote: 'No signed copy: This TIFF has several pages.' });
});

test('a conflict of an upload is a duplicate, or fails with the service’s reason and registers nothing', async () => {
  const image = new ApiError('CONFLICT', 409, 'The file carries a manifest of another Mark.');
  const creation = apiError('INTERNAL');
  expect(await sendRow({ creation, image }, row, file).result).toMatchObject({ state: 'yours', isSignedCopy: false });
  const refused = sendRow({ creation, image, existing: apiError('NOT_FOUND') }, row, file);
  expect(await refused.result).toEqual({ state: 'failed', note: image.message });
  const ofCopy = { ...row, fingerprint: `0x${'7'.repeat(64)}` as const };
  expect(await sendRow({ creation, image }, ofCopy, file).result).toMatchObject({ isSignedCopy: true });
});

test.each([
  [apiError('UNAUTHORIZED'), 'login'],
  [new ServiceUnreachableError('unavailable'), 'network'],
  [apiError('TIER_RESTRICTION'), { limitedMarkId: row.markId }],
])('%s stops the queue and keeps the row in it', async (creation, stopReason) => {
  expect(await sendRow({ creation }).result).toEqual({ stopReason });
});

test('a duplicate is the user’s own or another user’s, with the name of its Mark where that is visible', async () => {
  const creation = apiError('CONFLICT');
  expect(await sendRow({ creation }).result).toMatchObject({ state: 'yours', note: exampleMark.name });
  const underAnotherMark = { ...row, markId: 'another Mark' };
  expect(await sendRow({ creation }, underAnotherMark).result).toMatchObject({
    state: 'yours',
    note: exampleMark.name,
  });
  const others = sendRow({ creation, ownMarks: [] }, underAnotherMark);
  expect(await others.result).toMatchObject({ state: 'others', note: exampleMark.name });
  const existing: Artifact = { ...exampleArtifact, mark: { id: exampleMark.id, visibility: 'private' } };
  const redacted = sendRow({ creation, existing, ownMarks: [] }, underAnotherMark);
  expect(await redacted.result).toMatchObject({ state: 'others', note: undefined });
});

test.each([{ existing: apiError('UNAUTHORIZED') }, { ownMarks: apiError('UNAUTHORIZED') }])(
  'a session that expires while the owner of a duplicate is looked up stops the queue',
  async (responses) => {
    const { result } = sendRow({ creation: apiError('CONFLICT'), ...responses }, { ...row, markId: 'another Mark' });
    expect(await result).toEqual({ stopReason: 'login' });
  },
);

test.each(['FORBIDDEN', 'NOT_FOUND', 'BAD_REQUEST'] as const)('%s fails the row with a sentence', async (code) => {
  const { result } = sendRow({ creation: apiError(code) });
  expect(await result).toEqual({ state: 'failed', note: expect.stringMatching(/^[A-Z].+\.$/) });
});
