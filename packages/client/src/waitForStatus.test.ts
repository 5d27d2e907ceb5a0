import { type ArtifactStatus, exampleArtifact } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import { waitForStatusIn } from './waitForStatus.js';

/** A service with one of these statuses per request, each long-polling request taking `requestMs` of simulated time. */
function simulateService(statuses: readonly ArtifactStatus[], requestMs: number) {
  let time = 0;
  let requests = 0;
  const waits: (number | undefined)[] = [];
  const pauses: number[] = [];
  const client = {
    getArtifact: async ({ wait }: { wait?: number | undefined }) => {
      waits.push(wait);
      time += wait === undefined ? 0 : requestMs;
      const status = statuses[Math.min(requests, statuses.length - 1)] ?? 'pending';
      requests += 1;
      return { ...exampleArtifact, status };
    },
  };
  const environment = {
    now: () => time,
    sleep: async (ms: number) => {
      pauses.push(ms);
      time += ms;
    },
  };
  const wait = async (timeoutMs?: number) => {
    const reported: ArtifactStatus[] = [];
    const options = { timeoutMs, onStatus: (status: ArtifactStatus) => reported.push(status) };
    const { status } = await waitForStatusIn(environment, client, exampleArtifact.fingerprint, options);
    return { status, reported };
  };
  return { wait, waits, pauses };
}

test('every new status is reported, and the last one is returned', async () => {
  const { wait, waits } = simulateService(['pending', 'pending', 'submitting', 'submitted'], 50_000);
  expect(await wait()).toEqual({ status: 'submitted', reported: ['pending', 'submitting', 'submitted'] });
  expect(waits).toEqual([undefined, 50, 50, 50]);
});

test('waiting ends when the Artifact has failed', async () => {
  expect(await simulateService(['submitting', 'failed'], 10).wait()).toEqual({
    status: 'failed',
    reported: ['submitting', 'failed'],
  });
});

test('after the timeout, the Artifact is returned with its current status', async () => {
  const { wait, waits } = simulateService(['pending'], 50_000);
  expect((await wait(120_000)).status).toBe('pending');
  expect(waits).toEqual([undefined, 50, 50, 20]);
});

test('a service without long polling is asked at most every two seconds', async () => {
  const { wait, waits, pauses } = simulateService(['pending'], 1);
  await wait(10_000);
  expect([waits.length, pauses[0]]).toEqual([6, 1999]);
});
