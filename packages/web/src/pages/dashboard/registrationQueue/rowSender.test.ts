import { ApiError, ServiceUnreachableError } from '@provenance-registry/client';
import { type Artifact, type ErrorCode, errorStatus, exampleArtifact, exampleMark } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import type { HashedRow } from './queue.js';
import { createRowSender } from './rowSender.js';

const row: HashedRow = {
  id: '1',
  markId: exampleMark.id,
  filename: 'a.jpg',
  folder: 'private/holiday',
  size: 1,
  mediaType: 'image/jpeg',
  lastModified: 7,
  fingerprint: exampleArtifact.fingerprint,
  state: 'sending',
  hashedBytes: 1,
  note: undefined,
  idempotencyKey: 'key',
};

const apiError = (code: ErrorCode) => new ApiError(code, errorStatus[code], code);

interface Responses {
  readonly creation: Artifact | Error;
  readonly existing?: Artifact | Error;
  readonly ownMarks?: readonly (typeof exampleMark)[] | Error;
}

function sendRow({ creation, existing = exampleArtifact, ownMarks = [exampleMark] }: Responses, sent = row) {
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
    getArtifact: () => settle(existing),
    listMarks: async () => (await settle(ownMarks)).map((mark) => ({ ...mark, members: [] })),
  });
  return { requests, result: send(sent) };
}

test('fingerprint and file fields are sent with the idempotency key, without the folder', async () => {
  const { requests, result } = sendRow({ creation: exampleArtifact });
  expect(await result).toEqual({ state: 'pending', note: undefined });
  const { markId, fingerprint, filename, mediaType, size, lastModified } = row;
  expect(requests).toEqual([
    { markId, fingerprint, filename, mediaType, size, lastModified },
    { idempotencyKey: 'key' },
  ]);
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
  expect(await sendRow({ creation }).result).toEqual({ state: 'yours', note: exampleMark.name });
  const underAnotherMark = { ...row, markId: 'another Mark' };
  expect(await sendRow({ creation }, underAnotherMark).result).toEqual({ state: 'yours', note: exampleMark.name });
  const others = sendRow({ creation, ownMarks: [] }, underAnotherMark);
  expect(await others.result).toEqual({ state: 'others', note: exampleMark.name });
  const existing: Artifact = { ...exampleArtifact, mark: { id: exampleMark.id, visibility: 'private' } };
  const redacted = sendRow({ creation, existing, ownMarks: [] }, underAnotherMark);
  expect(await redacted.result).toEqual({ state: 'others', note: undefined });
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
