import { ApiError } from '@provenance-registry/client';
import {
  type Artifact,
  type ArtifactStatus,
  type EventType,
  exampleArtifact,
  type FeedEvent,
  type Fingerprint,
} from '@provenance-registry/core';
import { expect, test } from 'vitest';
import type { EventListener } from '../../../eventStream.js';
import { exampleRow } from './exampleRow.js';
import type { QueueRow } from './queueRow.js';
import { StatusFollower } from './statusFollower.js';

const fingerprintOf = (number: number): Fingerprint => `0x${String(number).padStart(64, '0')}`;
const flush = () => new Promise((resolve) => setTimeout(resolve));

/** A follower for `length` rows; the service has them with `service.status`, or throws its error. */
function startFollower(length: number, state: QueueRow['state'], service: { status: ArtifactStatus | Error }) {
  const requests: string[] = [];
  const listeners = new Set<EventListener>();
  const scheduled: (() => void)[] = [];
  let rows = Array.from({ length }, (_, number): QueueRow => {
    return { ...exampleRow, fingerprint: fingerprintOf(number), markId: 'mark', state };
  });
  const artifact = (number: number): Artifact => {
    if (service.status instanceof Error) throw service.status;
    return { ...exampleArtifact, fingerprint: fingerprintOf(number), status: service.status };
  };
  const isAwaiting = ({ state: current }: QueueRow) => current === 'pending' || current === 'submitting';
  const follower = new StatusFollower({
    client: {
      getArtifact: async ({ fingerprint }) => {
        requests.push('one');
        return artifact(Number(fingerprint));
      },
      listArtifacts: async ({ limit = 50, cursor = '0' }) => {
        requests.push('page');
        const end = Math.min(Number(cursor) + limit, length);
        const artifacts = Array.from({ length: end - Number(cursor) }, (_, index) => artifact(Number(cursor) + index));
        return { artifacts, nextCursor: end < length ? String(end) : null };
      },
    },
    queue: {
      rows: () => rows,
      applyStatuses: (changes) => {
        rows = rows.map((row) => (isAwaiting(row) ? { ...row, ...changes.get(row.fingerprint ?? '') } : row));
      },
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    schedule: (_, work) => scheduled.push(work),
  });
  const tell = (type: EventType, number: number, data = {}) => {
    const event: FeedEvent = {
      ...{ position: '1', id: '1', at: '', actor: null, user: null, mark: null, key: null, organization: null },
      type,
      data: { fingerprint: fingerprintOf(number), ...data },
    };
    for (const { onEvent } of listeners) onEvent(event);
  };
  const setStates = (next: QueueRow['state']) => {
    rows = rows.map((row) => ({ ...row, state: next }));
    follower.update();
  };
  const states = () => rows.map((row) => row.state);
  return {
    follower,
    requests,
    listeners,
    scheduled,
    tell,
    setStates,
    states,
    notes: () => rows.map(({ note }) => note),
  };
}

test('rows follow the events of their Artifacts without a request, also when an event comes before the response', () => {
  const { follower, requests, listeners, tell, setStates, states, notes } = startFollower(3, 'sending', {
    status: 'pending',
  });
  follower.update();
  tell('artifact.failed', 0, { reason: 'earlier' });
  tell('artifact.created', 0);
  tell('artifact.submitted', 1);
  setStates('pending');
  expect(states()).toEqual(['pending', 'submitted', 'pending']);
  tell('artifact.submitted', 0);
  tell('artifact.failed', 2, { reason: 'refused' });
  expect(states()).toEqual(['submitted', 'submitted', 'failed']);
  expect(notes()[2]).toBe('refused');
  follower.update();
  expect([requests, listeners.size]).toEqual([[], 0]);
});

test('a file whose registration was answered again is asked for once, because its event came long before', async () => {
  const { follower, requests, scheduled, setStates, states } = startFollower(2, 'sending', { status: 'submitted' });
  follower.update();
  setStates('pending');
  follower.update();
  expect([requests, scheduled.length]).toEqual([[], 1]);
  scheduled[0]?.();
  await flush();
  expect([requests, states()]).toEqual([['page'], ['submitted', 'submitted']]);
});

test('500 files of an earlier visit are checked with three requests, and again after a gap', async () => {
  const service: { status: ArtifactStatus } = { status: 'pending' };
  const { follower, requests, listeners, states } = startFollower(500, 'pending', service);
  follower.update();
  follower.update();
  await flush();
  for (const { onOpen } of listeners) onOpen(false);
  await flush();
  expect(requests).toEqual(['page', 'page', 'page']);
  service.status = 'submitted';
  for (const { onOpen } of listeners) onOpen(true);
  await flush();
  expect([requests.length, new Set(states())]).toEqual([6, new Set(['submitted'])]);
});

test('a check that an expired session refused is made after the next log-in', async () => {
  const service: { status: ArtifactStatus | Error } = { status: new ApiError('UNAUTHORIZED', 401, '') };
  const { follower, requests, states } = startFollower(2, 'pending', service);
  follower.update();
  await flush();
  follower.update();
  await flush();
  expect([requests, states()]).toEqual([['page'], ['pending', 'pending']]);
  service.status = 'submitted';
  follower.resume();
  await flush();
  expect(states()).toEqual(['submitted', 'submitted']);
});

test('a file that the registry does not have is marked as failed', async () => {
  const { follower, listeners, states } = startFollower(0, 'pending', { status: 'pending' });
  follower.update();
  expect([listeners.size, states()]).toEqual([0, []]);
  const gone = new StatusFollower({
    client: {
      getArtifact: async () => {
        throw new ApiError('NOT_FOUND', 404, '');
      },
      listArtifacts: async () => ({ artifacts: [], nextCursor: null }),
    },
    queue: {
      rows: () => [{ ...exampleRow, fingerprint: fingerprintOf(1) }],
      applyStatuses: (changes) => expect(changes.get(fingerprintOf(1))?.state).toBe('failed'),
    },
    subscribe: () => () => {},
    schedule: () => {},
  });
  expect.assertions(2);
  gone.update();
  await flush();
});
