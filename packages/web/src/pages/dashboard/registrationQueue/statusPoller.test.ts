import { ApiError, ServiceUnreachableError } from '@provenance-registry/client';
import { type Artifact, type ArtifactStatus, exampleArtifact, type Fingerprint } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import { exampleRow } from './exampleRow.js';
import type { QueueRow } from './queueRow.js';
import { createStatusPoller } from './statusPoller.js';

/** A poller for `length` rows; the service gives them the status of the round, or throws its error. */
function startPoller(length: number, rounds: readonly (ArtifactStatus | Error)[], onRequest = () => {}) {
  const requests: string[] = [];
  const fingerprints = Array.from({ length }, (_, number): Fingerprint => `0x${String(number).padStart(64, '0')}`);
  let round = 0;
  let rows = fingerprints.map((fingerprint): QueueRow => ({ ...exampleRow, fingerprint, markId: 'mark' }));
  const artifact = (fingerprint: Fingerprint): Artifact => {
    const now = rounds[Math.min(round, rounds.length - 1)] ?? 'pending';
    if (now instanceof Error) throw now;
    return { ...exampleArtifact, fingerprint, status: now };
  };
  const { promise: idle, resolve } = deferred();
  const poller = createStatusPoller({
    client: {
      getArtifact: async ({ fingerprint }) => {
        requests.push('one');
        onRequest();
        return artifact(fingerprint);
      },
      listArtifacts: async ({ limit = 50, cursor = '0' }) => {
        requests.push('page');
        const end = Number(cursor) + limit;
        const page = fingerprints.slice(Number(cursor), end).map(artifact);
        return { artifacts: page, nextCursor: end < length ? String(end) : null };
      },
    },
    queue: {
      rows: () => rows,
      applyStatuses: (changes) => {
        rows = rows.map((row) => ({ ...row, ...(row.fingerprint && changes.get(row.fingerprint)) }));
      },
    },
    sleep: async () => {
      round += 1;
      // Polling never ends by itself while rows await the chain.
      if (round >= rounds.length) {
        resolve();
        await new Promise(() => {});
      }
    },
  });
  return { poller, requests, idle, states: () => new Set(rows.map(({ state }) => state)) };
}

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

test('500 pending files take one request per round, and three more when their status has changed', async () => {
  const { poller, requests, idle, states } = startPoller(500, ['pending', 'pending', 'submitting', 'submitted']);
  poller.wake();
  poller.wake();
  await idle;
  expect(states()).toEqual(new Set(['submitted']));
  expect(requests.length).toBe(4 + 3 + 3);
});

test('an unavailable service is polled again', async () => {
  const { poller, idle, states } = startPoller(2, [new ServiceUnreachableError('unavailable'), 'submitted']);
  poller.wake();
  await idle;
  expect(states()).toEqual(new Set(['submitted']));
});

test('a rejected token stops polling, unless the user has logged in again before the response', async () => {
  const rejection = new ApiError('UNAUTHORIZED', 401, '');
  const late = startPoller(2, [rejection, 'submitted'], () => late.poller.wake());
  late.poller.wake();
  await late.idle;
  expect(late.states()).toEqual(new Set(['submitted']));

  const early = startPoller(2, [rejection, 'submitted']);
  early.poller.wake();
  await new Promise((resolve) => setTimeout(resolve));
  expect([early.requests, early.states()]).toEqual([['one'], new Set(['pending'])]);
});

test('a file that the registry does not have is marked as failed', async () => {
  const { poller, idle, states } = startPoller(1, [new ApiError('NOT_FOUND', 404, '')]);
  poller.wake();
  await idle;
  expect(states()).toEqual(new Set(['failed']));
});
