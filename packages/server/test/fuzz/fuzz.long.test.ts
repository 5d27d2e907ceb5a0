// Random and mutated requests to every operation of the published OpenAPI document. `npm run fuzz` does it for longer.

import { beforeAll, describe, expect, it } from 'vitest';
import { type RegistryProcess, startRegistryProcess } from '../../../../test/support/artifacts.js';
import { call } from '../../../../test/support/service.js';
import { findViolations } from '../support/invariants.js';
import { measureBytesInUse, withMemoryProbe } from '../support/memory.js';
import { fuzzFiles } from './files.js';
import { createFixture, type Fixture } from './fixture.js';
import { describeReport, type FuzzReport, feed, fuzz } from './fuzzer.js';
import {
  chainRequests,
  checkChainResponse,
  checkPathResponse,
  pathRequests,
  timestampRequests,
} from './otherEndpoints.js';
import { fuzzLength } from './runs.js';
import { openStateSnapshots } from './stateSnapshot.js';
import type { WireRequest, WireResponse } from './wire.js';

const OPERATOR_TOKEN = 'operator-of-this-test';
const { seed, runs, timeoutMs } = fuzzLength();
/** Before memory is compared: compiles code, starts workers and fills pools. */
const WARM_UP = 0.25;
/** Allowed average growth per request, and allowed noise: code that runs for the first time, and buffers in use. */
const BYTES_A_REQUEST = 512;
const BYTES_AT_ANY_TIME = 8 * 2 ** 20;

describe('hostile requests to every operation', () => {
  let registry: RegistryProcess;
  let fixture: Fixture;
  let report: FuzzReport;
  let memory: { before: number; after: number };
  beforeAll(async () => {
    registry = await startRegistryProcess({ OPERATOR_TOKEN, ...withMemoryProbe });
    fixture = await createFixture(registry, OPERATOR_TOKEN);
    const snapshots = await openStateSnapshots(registry.databaseUrl, registry.dataDir);
    const options = { registry, fixture, snapshots, files: await fuzzFiles() };
    const warmUp = await fuzz({ ...options, seed: seed + 1, runs: Math.ceil(runs * WARM_UP) });
    const before = await measureBytesInUse(registry);
    report = await fuzz({ ...options, seed, runs });
    report.findings.push(...warmUp.findings);
    memory = { before, after: await measureBytesInUse(registry) };
    await snapshots.close();
    const megabytes = Object.entries(memory).map(([when, bytes]) => `${when} ${(bytes / 2 ** 20).toFixed(1)} MiB`);
    console.log(
      `seed ${seed}, ${report.requests} requests\n${describeReport(report)}\nin use: ${megabytes.join(', ')}`,
    );
  }, timeoutMs);

  it('get a response as documented, and change nothing if they are rejected', () => {
    expect(report.findings.join('\n\n')).toBe('');
    // Fuzzing that never gets past authentication proves nothing.
    const successes = [...report.operations].filter(([, statuses]) => [...statuses.keys()].some(isSuccess));
    expect(successes.length).toBeGreaterThan(report.operations.size * 0.8);
  });

  it(
    'to pages, badges and published files give back nothing of the request',
    async () => {
      const known = fixture.pool['fingerprint']?.map(String) ?? [];
      const requests = pathRequests([...known, ...(fixture.pool['manifestId'] ?? []).map(String)]);
      expect(
        await feed('addresses', {
          url: registry.url,
          requests,
          checkResponse: checkPathResponse,
          seed,
          runs: runs * 10,
        }),
      ).toEqual([]);
    },
    timeoutMs,
  );

  it(
    'for time-stamps are answered as the RFC says',
    async () => {
      const checkResponse = (_: WireRequest, { status, headers }: WireResponse) => {
        expect([status, headers.get('content-type')]).toEqual([200, 'application/timestamp-reply']);
      };
      expect(
        await feed('tsa', { url: registry.url, requests: timestampRequests, checkResponse, seed, runs: runs * 5 }),
      ).toEqual([]);
    },
    timeoutMs,
  );

  it(
    'to the development chain are answered as JSON-RPC, and cause no fault in it',
    async () => {
      const url = `http://127.0.0.1:${registry.settings['CHAIN_PORT']}`;
      const checkResponse = (_: WireRequest, answer: WireResponse) => checkChainResponse(answer);
      expect(await feed('chain', { url, requests: chainRequests, checkResponse, seed, runs: runs * 15 })).toEqual([]);
    },
    timeoutMs,
  );

  it('leave a healthy service without pending requests and without logged errors', async () => {
    const levels = registry
      .output()
      .log.split('\n')
      .filter((line) => line !== '')
      .filter((line) => JSON.parse(line).level >= 50);
    expect(levels).toEqual([]);
    expect((await call(registry, 'GET', '/readyz')).status).toBe(200);
    // The metrics request itself is in progress.
    const metrics = async () => (await call(registry, 'GET', '/metrics')).body;
    await expect.poll(metrics).toMatch(/^http_requests_in_flight 1$/m);
    expect(await findViolations(registry.databaseUrl)).toEqual([]);
  });

  it('do not make its memory grow', () => {
    const allowed = BYTES_AT_ANY_TIME + report.requests * BYTES_A_REQUEST;
    expect(memory.after - memory.before).toBeLessThan(allowed);
  });
});

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
