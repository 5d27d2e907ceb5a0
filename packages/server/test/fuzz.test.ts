// Random and mutated requests to every operation of the published OpenAPI document. `npm run fuzz` does it for longer.

import { beforeAll, describe, expect, it } from 'vitest';
import { describeReport, type FuzzReport, fuzz } from './fuzz/engine.js';
import { fuzzFiles } from './fuzz/files.js';
import { fuzzLength } from './fuzz/length.js';
import { watchTraces } from './fuzz/traces.js';
import { makeWorld } from './fuzz/world.js';
import { type Registry, startRegistry } from './support/artifacts.js';

const OPERATOR_TOKEN = 'operator-of-this-test';
const { seed, runs, timeoutMs } = fuzzLength(50);

describe('hostile requests to every operation', () => {
  let registry: Registry;
  let report: FuzzReport;
  beforeAll(async () => {
    registry = await startRegistry({ OPERATOR_TOKEN });
    const world = await makeWorld(registry, OPERATOR_TOKEN);
    const traces = await watchTraces(registry.databaseUrl, registry.dataDir);
    report = await fuzz({ registry, world, traces, files: await fuzzFiles(), seed, runs });
    await traces.close();
    console.log(`seed ${seed}, ${runs} requests to each operation\n${describeReport(report)}`);
  }, timeoutMs);

  it('get an answer as the document says, and change nothing when they are refused', () => {
    expect(report.findings.join('\n\n')).toBe('');
  });
});
