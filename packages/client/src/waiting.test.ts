import { type ArtifactStatus, exampleArtifact } from '@provenance-registry/core';
import { expect, test } from 'vitest';
import { waitIn } from './waiting.js';

/** A service that goes through these statuses, one a look, each look taking that long; time passes for nobody else. */
function going(statuses: readonly ArtifactStatus[], lookMs: number) {
  let time = 0;
  let looks = 0;
  const waits: (number | undefined)[] = [];
  const pauses: number[] = [];
  const client = {
    getArtifact: async ({ wait }: { wait?: number | undefined }) => {
      waits.push(wait);
      time += wait === undefined ? 0 : lookMs;
      const status = statuses[Math.min(looks, statuses.length - 1)] ?? 'pending';
      looks += 1;
      return { ...exampleArtifact, status };
    },
  };
  const surroundings = {
    now: () => time,
    sleep: async (ms: number) => {
      pauses.push(ms);
      time += ms;
    },
  };
  const waitFor = (timeoutMs?: number) => {
    const seen: ArtifactStatus[] = [];
    const options = { timeoutMs, onStatus: (status: ArtifactStatus) => seen.push(status) };
    return waitIn(surroundings, client, exampleArtifact.fingerprint, options).then(({ status }) => ({ status, seen }));
  };
  return { waitFor, waits, pauses };
}

test('waiting tells of every status and ends with the last one', async () => {
  const { waitFor, waits } = going(['pending', 'pending', 'submitting', 'submitted'], 50_000);
  expect(await waitFor()).toEqual({ status: 'submitted', seen: ['pending', 'submitting', 'submitted'] });
  expect(waits).toEqual([undefined, 50, 50, 50]);
});

test('what has failed is waited for no longer', async () => {
  expect(await going(['submitting', 'failed'], 10).waitFor()).toEqual({
    status: 'failed',
    seen: ['submitting', 'failed'],
  });
});

test('when the time is over, the Artifact is given as it was last seen', async () => {
  const { waitFor, waits } = going(['pending'], 50_000);
  expect((await waitFor(120_000)).status).toBe('pending');
  expect(waits).toEqual([undefined, 50, 50, 20]);
});

test('a service that does not wait with us is asked every two seconds and not more', async () => {
  const { waitFor, waits, pauses } = going(['pending'], 1);
  await waitFor(10_000);
  expect([waits.length, pauses[0]]).toEqual([6, 1999]);
});
