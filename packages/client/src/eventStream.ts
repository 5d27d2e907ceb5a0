// Reads server-sent events from the body of a response.

import { InvalidResponseError } from './errors.js';

/** The largest event of the feed is about 2 KB. */
const MAX_EVENT_CHARACTERS = 1_000_000;

export interface ServerSentEvent {
  /** The last `id` that was received, also with an earlier event. */
  readonly id: string | undefined;
  /** Empty for an event that only tells its `id`. */
  readonly data: string;
}

/** The events of the stream, in their order, until it ends. Stopping early ends the stream. */
export async function* readServerSentEvents(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ServerSentEvent> {
  let id: string | undefined;
  let data: string[] = [];
  for await (const line of readLines(stream)) {
    if (line === '') {
      yield { id, data: data.join('\n') };
      data = [];
      continue;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'id') id = value;
    else if (field === 'data') data.push(value);
    if (data.length > 0 && data.reduce((size, part) => size + part.length, 0) > MAX_EVENT_CHARACTERS)
      throw tooLongError();
  }
}

async function* readLines(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = stream.getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      // The second half of a line break may still be on its way.
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      if (rest.length > MAX_EVENT_CHARACTERS) throw tooLongError();
      yield* lines;
    }
  } finally {
    // Not awaited: it has no effect on a stream that has ended or failed.
    reader.cancel().catch(() => {});
  }
}

function tooLongError(): InvalidResponseError {
  return new InvalidResponseError(`The service sent an event with more than ${MAX_EVENT_CHARACTERS} characters.`);
}
