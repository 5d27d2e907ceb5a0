// The fuzzer: sends requests to every operation of the document and checks every response.

import fc from 'fast-check';
import type { Registry } from '../../../../test/support/artifacts.js';
import { readDocument } from './document.js';
import { type Fixture, restoreFixture } from './fixture.js';
import { prepareOperation } from './preconditions.js';
import { type FuzzRequest, requestsTo } from './requests.js';
import { checkResponse } from './responseChecks.js';
import type { StateSnapshots } from './stateSnapshot.js';
import { asCurl, exchange, type WireRequest, type WireResponse } from './wire.js';

export interface FuzzOptions {
  readonly registry: Registry;
  readonly fixture: Fixture;
  readonly snapshots: StateSnapshots;
  readonly files: readonly Buffer[];
  readonly seed: number;
  /** For each operation. */
  readonly runs: number;
}

/** Number of responses by status; 0 is a connection closed without a response. */
export type Statuses = Map<number, number>;

export interface FuzzReport {
  readonly operations: Map<string, Statuses>;
  readonly requests: number;
  /** The problem, and how to reproduce it. */
  readonly findings: string[];
}

/** Fewer, because hashing a password is slow on purpose. */
const slowOperations = [
  ...['signUp', 'logIn', 'changePassword', 'changeEmail', 'startTotp', 'removeTotp', 'closeAccount'],
  'confirmPasswordReset',
];
const SLOW_SHARE = 0.5;

export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { registry, fixture, snapshots, files, seed, runs } = options;
  const operations = new Map<string, Statuses>();
  const findings: string[] = [];
  let isChanged = true;
  for (const operation of await readDocument(registry.url)) {
    if (isChanged) await restoreFixture(registry, fixture);
    const precondition = await prepareOperation(operation.operationId, registry, fixture);
    const prepared = await snapshots.take();
    const left = { snapshots: prepared };
    const statuses: Statuses = new Map();
    operations.set(operation.operationId, statuses);
    const send = async (request: FuzzRequest) => {
      const answer = await exchange(Number(new URL(registry.url).port), request);
      const status = answer?.status ?? 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const before = left.snapshots;
      left.snapshots = await snapshots.take();
      if ((status === 0 || status >= 400) && left.snapshots !== before) {
        throw new Error(`refused with ${status}, and yet\n${before}\nbecame\n${left.snapshots}`);
      }
      return answer;
    };
    const property = fc.asyncProperty(requestsTo(operation, fixture, files, precondition), (request) =>
      send(request).then((answer) => checkResponse(operation, request, answer)),
    );
    const share = slowOperations.includes(operation.operationId) ? SLOW_SHARE : 1;
    const outcome = await fc.check(property, { numRuns: Math.ceil(runs * share), seed: seed + operations.size });
    if (outcome.failed) findings.push(describeFinding(registry.url, operation.operationId, seed, outcome));
    isChanged = left.snapshots !== prepared;
  }
  const requests = [...operations.values()].reduce((sum, statuses) => sum + total(statuses), 0);
  return { operations, requests, findings };
}

export interface FeedOptions {
  readonly url: string;
  readonly requests: fc.Arbitrary<WireRequest>;
  readonly checkResponse: (request: WireRequest, answer: WireResponse) => void;
  readonly seed: number;
  readonly runs: number;
}

/** The same for endpoints outside the document. */
export async function feed(
  name: string,
  { url, requests, checkResponse: judgeAnswer, seed, runs }: FeedOptions,
): Promise<string[]> {
  const property = fc.asyncProperty(requests, async (request) => {
    const answer = await exchange(Number(new URL(url).port), request);
    if (!answer) throw new Error('no response');
    judgeAnswer(request, answer);
  });
  const outcome = await fc.check(property, { numRuns: runs, seed });
  return outcome.failed ? [describeFinding(url, name, seed, outcome)] : [];
}

interface Failure {
  readonly counterexample: readonly WireRequest[] | null;
  readonly errorInstance: unknown;
  readonly numShrinks: number;
}

function describeFinding(
  url: string,
  operationId: string,
  seed: number,
  { counterexample, errorInstance, numShrinks }: Failure,
): string {
  const [request] = counterexample ?? [];
  return [
    `${operationId}: ${errorInstance instanceof Error ? errorInstance.message : errorInstance}`,
    `  seed ${seed}, made smaller ${numShrinks} times`,
    `  ${request ? asCurl(url, request) : ''}`,
  ].join('\n');
}

function total(statuses: Statuses): number {
  return [...statuses.values()].reduce((sum, count) => sum + count, 0);
}

export function describeReport({ operations }: FuzzReport): string {
  const lines = [...operations].map(([operationId, statuses]) => {
    const seen = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status || 'closed'} ×${count}`);
    return `  ${operationId.padEnd(26)} ${String(total(statuses)).padStart(6)}  ${seen.join(', ')}`;
  });
  return lines.join('\n');
}
