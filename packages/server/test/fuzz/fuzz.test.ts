// Random and mutated requests to every operation of the published OpenAPI document. `npm run fuzz` does it for longer.

import { beforeAll, describe, expect, it } from 'vitest';
import { type Registry, startRegistry } from '../../../../test/support/artifacts.js';
import { call } from '../../../../test/support/service.js';
import { findViolations } from '../support/invariants.js';
import { measureBytesInUse, withMemoryProbe } from '../support/memory.js';
import { addressRequests, chainRequests, judgeAddress, judgeChain, timestampRequests } from './elsewhere.js';
import { describeReport, type FuzzReport, feed, fuzz } from './engine.js';
import { fuzzFiles } from './files.js';
import { fuzzLength } from './length.js';
import { watchTraces } from './traces.js';
import type { WireAnswer, WireRequest } from './wire.js';
import { makeWorld, type World } from './world.js';

const OPERATOR_TOKEN = 'operator-of-this-test';
const { seed, runs, timeoutMs } = fuzzLength();
/** Before anything is compared: code is compiled, threads are started, pools are filled. */
const WARM_UP = 0.25;
/** What a request may leave behind, on average, and what may be lying about at any time. */
const BYTES_A_REQUEST = 512;
const BYTES_AT_ANY_TIME = 4 * 2 ** 20;

describe('hostile requests to every operation', () => {
  let registry: Registry;
  let world: World;
  let report: FuzzReport;
  let memory: { before: number; after: number };
  beforeAll(async () => {
    registry = await startRegistry({ OPERATOR_TOKEN, ...withMemoryProbe });
    world = await makeWorld(registry, OPERATOR_TOKEN);
    const traces = await watchTraces(registry.databaseUrl, registry.dataDir);
    const options = { registry, world, traces, files: await fuzzFiles() };
    const warmUp = await fuzz({ ...options, seed: seed + 1, runs: Math.ceil(runs * WARM_UP) });
    const before = await measureBytesInUse(registry);
    report = await fuzz({ ...options, seed, runs });
    report.findings.push(...warmUp.findings);
    memory = { before, after: await measureBytesInUse(registry) };
    await traces.close();
    const megabytes = Object.entries(memory).map(([when, bytes]) => `${when} ${(bytes / 2 ** 20).toFixed(1)} MiB`);
    console.log(
      `seed ${seed}, ${report.requests} requests\n${describeReport(report)}\nin use: ${megabytes.join(', ')}`,
    );
  }, timeoutMs);

  it('get an answer as the document says, and change nothing when they are refused', () => {
    expect(report.findings.join('\n\n')).toBe('');
    // Fuzzing that is refused at the door proves nothing.
    const successes = [...report.operations].filter(([, statuses]) => [...statuses.keys()].some(isSuccess));
    expect(successes.length).toBeGreaterThan(report.operations.size * 0.8);
  });

  it(
    'to pages, badges and published files give back nothing of the request',
    async () => {
      const known = world.pool['fingerprint']?.map(String) ?? [];
      const requests = addressRequests([...known, ...(world.pool['manifestId'] ?? []).map(String)]);
      expect(
        await feed('addresses', { url: registry.url, requests, judge: judgeAddress, seed, runs: runs * 10 }),
      ).toEqual([]);
    },
    timeoutMs,
  );

  it(
    'for time-stamps are answered as the RFC says',
    async () => {
      const judge = (_: WireRequest, { status, headers }: WireAnswer) => {
        expect([status, headers.get('content-type')]).toEqual([200, 'application/timestamp-reply']);
      };
      expect(
        await feed('tsa', { url: registry.url, requests: timestampRequests, judge, seed, runs: runs * 5 }),
      ).toEqual([]);
    },
    timeoutMs,
  );

  it(
    'to the development chain are answered as JSON-RPC, and cause no fault in it',
    async () => {
      const url = `http://127.0.0.1:${registry.settings['CHAIN_PORT']}`;
      const judge = (_: WireRequest, answer: WireAnswer) => judgeChain(answer);
      expect(await feed('chain', { url, requests: chainRequests, judge, seed, runs: runs * 15 })).toEqual([]);
    },
    timeoutMs,
  );

  it('leave a service that is well, has nothing under way, and logged no fault', async () => {
    const levels = registry
      .output()
      .log.split('\n')
      .filter((line) => line !== '')
      .filter((line) => JSON.parse(line).level >= 50);
    expect(levels).toEqual([]);
    expect((await call(registry, 'GET', '/readyz')).status).toBe(200);
    // The request that asks is one.
    const metrics = async () => (await call(registry, 'GET', '/metrics')).body;
    await expect.poll(metrics).toMatch(/^http_requests_in_flight 1$/m);
    expect(await findViolations(registry.databaseUrl)).toEqual([]);
  });

  it('do not let its memory grow with their number', () => {
    const allowed = BYTES_AT_ANY_TIME + report.requests * BYTES_A_REQUEST;
    expect(memory.after - memory.before).toBeLessThan(allowed);
  });
});

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
