import { ApiError, ServiceUnreachableError } from '@provenance-registry/client';
import { type Artifact, type ErrorCode, errorStatus, exampleArtifact, exampleMark } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import type { HashedRow } from './queue.js';
import { sendBy } from './rowSender.js';

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

const refusal = (code: ErrorCode) => new ApiError(code, errorStatus[code], code);

/** What becomes of the row when the service answers so; `existing` is what it says about who was first. */
function sending(answer: Artifact | Error, existing: Artifact | Error = exampleArtifact, ownMarks = [exampleMark]) {
  const sent: unknown[] = [];
  const give = (what: Artifact | Error) => (what instanceof Error ? Promise.reject(what) : Promise.resolve(what));
  const send = sendBy({
    createArtifact: (...request) => {
      sent.push(...request);
      return give(answer);
    },
    getArtifact: () => give(existing),
    listMarks: async () => ownMarks.map((mark) => ({ ...mark, members: [] })),
  });
  return { sent, outcome: send(row) };
}

test('what is sent is the fingerprint and what the file is, under its key, and not where it lies', async () => {
  const { sent, outcome } = sending(exampleArtifact);
  expect(await outcome).toEqual({ state: 'pending', note: undefined });
  const { markId, fingerprint, filename, mediaType, size, lastModified } = row;
  expect(sent).toEqual([{ markId, fingerprint, filename, mediaType, size, lastModified }, { idempotencyKey: 'key' }]);
});

test.each([
  [refusal('UNAUTHORIZED'), 'login'],
  [new ServiceUnreachableError('away'), 'network'],
  [refusal('TIER_RESTRICTION'), { limitOf: row.markId }],
])('%s stops the work and costs no row its place', async (answer, halt) => {
  expect(await sending(answer).outcome).toEqual({ halt });
});

test('a file that is registered already is said to be one’s own or somebody else’s, with the Mark where it may be known', async () => {
  const taken = refusal('CONFLICT');
  expect(await sending(taken).outcome).toEqual({ state: 'yours', note: exampleMark.name });
  expect(await sending(taken, exampleArtifact, []).outcome).toEqual({ state: 'others', note: exampleMark.name });
  const hidden: Artifact = { ...exampleArtifact, mark: { id: exampleMark.id, visibility: 'private' } };
  expect(await sending(taken, hidden, []).outcome).toEqual({ state: 'others', note: undefined });
});

test('a token that expires while it is asked whose a file is costs the row nothing either', async () => {
  expect(await sending(refusal('CONFLICT'), refusal('UNAUTHORIZED')).outcome).toEqual({ halt: 'login' });
});

test.each(['FORBIDDEN', 'NOT_FOUND', 'BAD_REQUEST'] as const)('%s fails with a sentence', async (code) => {
  expect(await sending(refusal(code)).outcome).toEqual({ state: 'failed', note: expect.stringMatching(/^[A-Z].+\.$/) });
});
