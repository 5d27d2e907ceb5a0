import { ApiError, ServiceUnreachableError } from '@provenance-registry/client';
import { type Artifact, type ArtifactStatus, exampleArtifact, type Fingerprint } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import type { Row } from './queueRow.js';
import { createWatcher } from './statusPoller.js';

/** A service with so many Artifacts under a Mark, and a list that waits for all of them. */
function following(length: number, rounds: readonly (ArtifactStatus | Error)[], onQuestion = () => {}) {
  const asked: string[] = [];
  const fingerprints = Array.from({ length }, (_, number): Fingerprint => `0x${String(number).padStart(64, '0')}`);
  let round = 0;
  let list = fingerprints.map((fingerprint): Row => {
    const { id, metadata } = exampleArtifact;
    return {
      id,
      fingerprint,
      markId: 'mark',
      filename: String(metadata.filename),
      folder: '',
      size: undefined,
      mediaType: undefined,
      lastModified: undefined,
      state: 'pending',
      hashedBytes: 0,
      note: undefined,
      idempotencyKey: '',
    };
  });
  const artifact = (fingerprint: Fingerprint): Artifact => {
    const now = rounds[Math.min(round, rounds.length - 1)] ?? 'pending';
    if (now instanceof Error) throw now;
    return { ...exampleArtifact, fingerprint, status: now };
  };
  const { promise: idle, resolve } = deferred();
  const watcher = createWatcher({
    service: {
      getArtifact: async ({ fingerprint }) => {
        asked.push('one');
        onQuestion();
        return artifact(fingerprint);
      },
      listArtifacts: async ({ limit = 50, cursor = '0' }) => {
        asked.push('page');
        const end = Number(cursor) + limit;
        const page = fingerprints.slice(Number(cursor), end).map(artifact);
        return { artifacts: page, nextCursor: end < length ? String(end) : null };
      },
    },
    queue: {
      rows: () => list,
      update: (changes) => {
        list = list.map((row) => ({ ...row, ...(row.fingerprint && changes.get(row.fingerprint)) }));
      },
    },
    sleep: async () => {
      round += 1;
      // Whoever goes on after the last round would go on for ever.
      if (round >= rounds.length) {
        resolve();
        await new Promise(() => {});
      }
    },
  });
  return { watcher, asked, idle, states: () => new Set(list.map(({ state }) => state)) };
}

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

test('500 files on their way cost one question a round, and three more when they have moved', async () => {
  const { watcher, asked, idle, states } = following(500, ['pending', 'pending', 'submitting', 'submitted']);
  watcher.look();
  watcher.look();
  await idle;
  expect(states()).toEqual(new Set(['submitted']));
  expect(asked.length).toBe(4 + 3 + 3);
});

test('a service that is away for a while is asked again', async () => {
  const { watcher, idle, states } = following(2, [new ServiceUnreachableError('away'), 'submitted']);
  watcher.look();
  await idle;
  expect(states()).toEqual(new Set(['submitted']));
});

test('a refusal that comes after the next log-in does not end the looking; one that comes before does', async () => {
  const refusal = new ApiError('UNAUTHORIZED', 401, '');
  const late = following(2, [refusal, 'submitted'], () => late.watcher.look());
  late.watcher.look();
  await late.idle;
  expect(late.states()).toEqual(new Set(['submitted']));

  const early = following(2, [refusal, 'submitted']);
  early.watcher.look();
  await new Promise((resolve) => setTimeout(resolve));
  expect([early.asked, early.states()]).toEqual([['one'], new Set(['pending'])]);
});

test('what the registry has forgotten is told as failed, and does not hold up the others', async () => {
  const { watcher, idle, states } = following(1, [new ApiError('NOT_FOUND', 404, '')]);
  watcher.look();
  await idle;
  expect(states()).toEqual(new Set(['failed']));
});
