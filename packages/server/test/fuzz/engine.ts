// The fuzzer: sends requests to every operation of the document, and judges every answer.

import fc from 'fast-check';
import type { Registry } from '../support/artifacts.js';
import { readDocument } from './document.js';
import { judge } from './judgement.js';
import { type FuzzRequest, requestsTo } from './requests.js';
import type { Traces } from './traces.js';
import { asCurl, exchange } from './wire.js';
import { mend, type World } from './world.js';

export interface FuzzOptions {
  readonly registry: Registry;
  readonly world: World;
  readonly traces: Traces;
  readonly files: readonly Buffer[];
  readonly seed: number;
  /** For each operation. */
  readonly runs: number;
}

/** How often an operation gave which status; 0 stands for a connection that was closed without an answer. */
export type Statuses = Map<number, number>;

export interface FuzzReport {
  readonly operations: Map<string, Statuses>;
  /** What was wrong, and how to see it again. */
  readonly findings: string[];
}

export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { registry, world, files, seed, runs } = options;
  const operations = new Map<string, Statuses>();
  const findings: string[] = [];
  for (const operation of await readDocument(registry.url)) {
    await mend(registry, world);
    const statuses: Statuses = new Map();
    operations.set(operation.operationId, statuses);
    const property = fc.asyncProperty(requestsTo(operation, world, files), (request) =>
      sendAndJudge(options, request, statuses, (answer) => judge(operation, request, answer)),
    );
    const outcome = await fc.check(property, { numRuns: runs, seed });
    if (outcome.failed) findings.push(describeFinding(registry.url, operation.operationId, seed, outcome));
  }
  return { operations, findings };
}

async function sendAndJudge(
  { registry, traces }: FuzzOptions,
  request: FuzzRequest,
  statuses: Statuses,
  judgeAnswer: (answer: Awaited<ReturnType<typeof exchange>>) => void,
): Promise<void> {
  const before = await traces.look();
  const answer = await exchange(Number(new URL(registry.url).port), request);
  statuses.set(answer?.status ?? 0, (statuses.get(answer?.status ?? 0) ?? 0) + 1);
  judgeAnswer(answer);
  if (!answer || answer.status >= 400) {
    const after = await traces.look();
    if (after !== before) throw new Error(`refused with ${answer?.status}, and yet:\n${before}\nbecame\n${after}`);
  }
}

function describeFinding(
  url: string,
  operationId: string,
  seed: number,
  { counterexample, errorInstance, numShrinks }: fc.RunDetails<[FuzzRequest]>,
): string {
  const [request] = counterexample ?? [];
  return [
    `${operationId}: ${errorInstance instanceof Error ? errorInstance.message : errorInstance}`,
    `  seed ${seed}, made smaller ${numShrinks} times`,
    `  ${request ? asCurl(url, request) : ''}`,
  ].join('\n');
}

export function describeReport({ operations }: FuzzReport): string {
  const lines = [...operations].map(([operationId, statuses]) => {
    const total = [...statuses.values()].reduce((sum, count) => sum + count, 0);
    const seen = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status || 'closed'} ×${count}`);
    return `  ${operationId.padEnd(26)} ${String(total).padStart(6)}  ${seen.join(', ')}`;
  });
  return lines.join('\n');
}
