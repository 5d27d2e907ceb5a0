// Checks fingerprints from standard input, line by line, in constant memory.

import type { AiPreferences, Fingerprint } from '@provenance-registry/core';
import type { Context } from '../context.js';
import type { ExitCode } from '../exitCode.js';
import { formatFieldsOf } from '../fieldFormat.js';
import { splitStream } from '../inputs/inputs.js';
import type { FilterAnswer } from '../outputSchemas/filter.js';
import { parseFingerprint } from '../targets.js';
import { joinLines, type Piece } from '../text.js';
import type { StoredDownloads } from './storedDownloads.js';

/** Printing each line alone would take most of the time. */
const LINES_PER_WRITE = 1_000;

/** Returns exit code 3 if a line is not a fingerprint. */
export async function filterLines(context: Context, stored: StoredDownloads, isExact: boolean): Promise<ExitCode> {
  const { format } = context;
  const document: FilterAnswer[] = [];
  let pending: Piece[] = [];
  let exitCode: ExitCode = 0;
  const flush = async () => {
    if (pending.length === 0) return;
    const lines = pending;
    pending = [];
    context.printLines(joinLines(lines));
    await context.flush();
  };
  for await (const result of readLines(context.stdin, stored, isExact)) {
    if ('error' in result) {
      exitCode = 3;
      context.warn(result.error);
    }
    if (format === 'json') document.push(result);
    else if (format === 'jsonLines') pending.push(JSON.stringify(result));
    else if (!('error' in result))
      pending.push(typeof format === 'object' ? formatFieldsOf(result, format) : formatResult(result));
    if (pending.length >= LINES_PER_WRITE) await flush();
  }
  await flush();
  if (format === 'json') context.printResult(document);
  return exitCode;
}

async function* readLines(
  input: AsyncIterable<Buffer>,
  stored: StoredDownloads,
  isExact: boolean,
): AsyncGenerator<FilterAnswer> {
  let number = 0;
  for await (const line of splitStream(input, 'standard input', '\n')) {
    number += 1;
    // As sha256sum prints it: the name of the file follows.
    const [first = ''] = line.trim().split(/\s/, 1);
    if (first === '') continue;
    const fingerprint = parseFingerprint(first);
    if (fingerprint) yield await checkFingerprint(stored, fingerprint, isExact);
    else yield { line: number, error: `Line ${number} is not a fingerprint.`, code: 'BAD_REQUEST' };
  }
}

type Found = Exclude<FilterAnswer, { error: string }>;

async function checkFingerprint(stored: StoredDownloads, fingerprint: Fingerprint, isExact: boolean): Promise<Found> {
  const age = stored.isOutOfDate ? { outOfDateAsOf: stored.index.createdAt } : {};
  if (!isExact) return { fingerprint, answer: stored.mayContain(fingerprint) ? 'maybe' : 'no', ...age };
  const aiPreferences = await stored.find(fingerprint);
  return aiPreferences
    ? { fingerprint, answer: 'registered', aiPreferences, ...age }
    : { fingerprint, answer: 'no', ...age };
}

function formatResult({ fingerprint, answer, aiPreferences, outOfDateAsOf }: Found): string {
  const uses = aiPreferences ? ` ${formatUses(aiPreferences)}` : '';
  const age = outOfDateAsOf === undefined ? '' : ` out of date, as of ${outOfDateAsOf}`;
  return `${fingerprint} ${answer}${uses}${age}`;
}

/** `ai_training=notAllowed`, separated by commas; `-` if nothing is specified. */
function formatUses(preferences: AiPreferences): string {
  const stated = Object.entries(preferences).flatMap(([use, preference]) =>
    preference ? [`${use}=${preference.use}`] : [],
  );
  return stated.join(',') || '-';
}
