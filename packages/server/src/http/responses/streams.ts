// Responses that are written piece by piece.

import type { FairLimit, Requester } from '../../workers/fairLimit.js';

/** A JSON response. */
export class StreamedJson {
  constructor(readonly pieces: AsyncIterable<string>) {}
}

/** The response to a body of lines. */
export class StreamedLines {
  constructor(readonly pieces: AsyncIterable<string>) {}
}

/** Server-sent events. */
export class EventStream {
  constructor(
    readonly pieces: AsyncIterable<string>,
    /** Called when the stream has ended, or did not begin. */
    readonly onEnd: () => void,
  ) {}
}

/** Makes each piece when it is its turn. Other requests are served between two. */
export async function* makeInTurns(
  pieces: AsyncIterable<string>,
  limit: FairLimit,
  requester: Requester,
): AsyncGenerator<string> {
  const iterator = pieces[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await limit.run(requester, () => iterator.next());
    if (done) return;
    yield value;
    await new Promise(setImmediate);
  }
}

/** Waits for the first piece: if that fails, the response can still be an error. */
export async function startPieces(pieces: AsyncIterable<string>): Promise<AsyncIterable<string>> {
  const iterator = pieces[Symbol.asyncIterator]();
  let first: IteratorResult<string> | undefined = await iterator.next();
  const next = async () => {
    const result = first ?? (await iterator.next());
    first = undefined;
    return result;
  };
  const end = async () => (await iterator.return?.()) ?? { done: true as const, value: undefined };
  return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
}
