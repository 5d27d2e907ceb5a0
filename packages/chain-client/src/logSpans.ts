// Reads a range of blocks in spans that a node accepts: nodes refuse to search many blocks at once, and to send large results.

import { ResponseTooLargeError } from './errors.js';
import { JsonRpcError } from './jsonRpc.js';

/** Public nodes refuse to search more blocks at once; some refuse less as well. */
export const MAX_LOG_SPAN = 10_000n;

export interface BlockSpan {
  /** Both included. */
  readonly from: bigint;
  readonly to: bigint;
}

/** Yields what `read` returns for each span, oldest first. A span that is refused is read in halves. */
export async function* readInSpans<Result>(
  { from, to }: BlockSpan,
  read: (span: BlockSpan) => Promise<Result>,
): AsyncGenerator<Result> {
  let length = MAX_LOG_SPAN;
  for (let first = from; first <= to; ) {
    const last = min(first + length - 1n, to);
    let result: Result;
    try {
      result = await read({ from: first, to: last });
    } catch (error) {
      const isSpanTooWide = error instanceof JsonRpcError || error instanceof ResponseTooLargeError;
      if (!isSpanTooWide || last === first) throw error;
      length = (last - first + 1n) / 2n;
      continue;
    }
    yield result;
    first = last + 1n;
    length = min(2n * length, MAX_LOG_SPAN);
  }
}

export function min(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
