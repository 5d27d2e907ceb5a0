// How a run repeats requests, and waits out an outage of the service.

import { setImmediate } from 'node:timers/promises';
import { InvalidResponseError, ServiceUnreachableError } from '@provenance-registry/client';
import { describe, expect, it } from 'vitest';
import { createDeferred } from '../../test/support/deferred.js';
import { createOutageRetry } from './outageRetry.js';
import { RunStoppedError, StopController } from './stopController.js';

describe('a service that does not respond', () => {
  const unreachable = new ServiceUnreachableError('createArtifact failed: connect ECONNREFUSED.');

  /** Each probe takes the next result; after the last one the service is reachable. */
  function createRetry(probeResults: boolean[], maxOutageMs?: number) {
    const notices: string[] = [];
    const retries: string[] = [];
    const stopController = new StopController();
    const withOutageRetry = createOutageRetry({
      stopController,
      isReady: async () => probeResults.shift() ?? true,
      notify: (message) => notices.push(message),
      onRetry: (message) => retries.push(message),
      sleep: () => setImmediate(),
      ...(maxOutageMs && { maxOutageMs }),
    });
    return { withOutageRetry, stopController, notices, retries };
  }

  /** A request that fails this many times, then returns the number of attempts. */
  function createRequest(failures: number, error: Error = unreachable) {
    let attempts = 0;
    return async () => {
      attempts += 1;
      if (attempts <= failures) throw error;
      return attempts;
    };
  }

  it('makes all requests wait, and gets them again when it is back', async () => {
    const { withOutageRetry, notices } = createRetry([false, false, true]);
    const requests = [createRequest(1), createRequest(1), createRequest(1)];
    expect(await Promise.all(requests.map((request) => withOutageRetry(request)))).toEqual([2, 2, 2]);
    expect(notices).toEqual([
      'The service is not available: createArtifact failed: connect ECONNREFUSED. Waiting for it; no progress is lost.',
      'The service is available again.',
    ]);
  });

  it('gets no requests while it is being probed', async () => {
    const [probeStarted, probe] = [createDeferred<void>(), createDeferred<boolean>()];
    const isReady = () => {
      probeStarted.resolve();
      return probe.promise;
    };
    const stopController = new StopController();
    const withOutageRetry = createOutageRetry({
      stopController,
      isReady,
      notify: () => {},
      onRetry: () => {},
      sleep: () => setImmediate(),
    });
    const sent: string[] = [];
    const first = withOutageRetry(createRequest(5));
    await probeStarted.promise;
    const second = withOutageRetry(async () => sent.push('second'));
    await setImmediate();
    expect(sent).toEqual([]);
    probe.resolve(true);
    await expect(first).rejects.toBe(unreachable);
    await second;
    expect(sent).toEqual(['second']);
  });

  it('to one request alone gets it five times, then its file fails, and no other request waits', async () => {
    const { withOutageRetry, stopController, notices, retries } = createRetry([]);
    expect(await withOutageRetry(createRequest(4))).toBe(5);
    expect(retries).toEqual(Array(4).fill(unreachable.message));
    await expect(withOutageRetry(createRequest(5))).rejects.toBe(unreachable);
    expect(await withOutageRetry(createRequest(0))).toBe(1);
    expect([notices, stopController.reason]).toEqual([[], undefined]);
  });

  it('again and again fails no file, however often it goes away', async () => {
    const { withOutageRetry, retries } = createRetry(Array(20).fill([false, true]).flat());
    expect(await withOutageRetry(createRequest(20))).toBe(21);
    expect(retries).toEqual([]);
  });

  it('but a login page of the network does, is waited for as well', async () => {
    const loginPage = new InvalidResponseError('The service responded with a web page instead of data.');
    const { withOutageRetry, notices } = createRetry([false, true]);
    expect(await withOutageRetry(createRequest(1, loginPage))).toBe(2);
    expect(notices[0]).toContain(loginPage.message);
  });

  it('stops the run when the outage lasts too long', async () => {
    const { withOutageRetry, stopController } = createRetry(Array(1_000_000).fill(false), 1);
    await expect(withOutageRetry(createRequest(1))).rejects.toBeInstanceOf(RunStoppedError);
    expect(stopController.reason).toMatchObject({ code: 'UNREACHABLE', exitCode: 3 });
  });

  it('stops the run when it is reachable but fails one request after the other', async () => {
    const { withOutageRetry, stopController } = createRetry([]);
    const invalidResponse = new InvalidResponseError('The response to createArtifact is not JSON.');
    for (let file = 1; file < 20; file += 1)
      await expect(withOutageRetry(createRequest(1, invalidResponse))).rejects.toBe(invalidResponse);
    expect(stopController.reason).toBeUndefined();
    await expect(withOutageRetry(createRequest(5))).rejects.toBe(unreachable);
    expect(stopController.reason).toMatchObject({ code: 'UNREACHABLE', exitCode: 3 });
    await expect(withOutageRetry(createRequest(0))).rejects.toBeInstanceOf(RunStoppedError);
  });

  it('starts counting failures again after a response', async () => {
    const { withOutageRetry, stopController } = createRetry([]);
    for (let file = 1; file < 60; file += 1) {
      if (file % 19 === 0) await withOutageRetry(createRequest(0));
      else await expect(withOutageRetry(createRequest(5))).rejects.toBe(unreachable);
    }
    expect(stopController.reason).toBeUndefined();
  });
});
