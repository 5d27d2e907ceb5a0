// PDF: the manifest store is all of a stream that is not compressed. Read only as far as that: the objects of the document
// are not followed, and other places are covered by the hash or refused.

import type { ByteRange, Carrier } from './container.js';
import type { FileBytes } from './fileBytes.js';

/** In the first boxes of a store, after the lengths of both and the type of the first. */
const STORE_MARKER = 'jumdc2pa';
const MARKER_OFFSET = 12;
const STREAM_STARTS = ['stream\r\n', 'stream\n'];
const STREAM_END = /^(\r\n|\n|\r)?endstream/;
const STREAM_END_BYTES = 11;
/** Programs that do not trust the length of a stream search for its end. */
const STREAM_END_WORD = 'endstream';

export function readPdf(file: FileBytes): Carrier | undefined {
  const streams: ByteRange[] = [];
  for (let at = file.find(STORE_MARKER, MARKER_OFFSET); at >= 0; at = file.find(STORE_MARKER, at + 1)) {
    const stream = streamAt(file, at - MARKER_OFFSET);
    if (stream) streams.push(stream);
    if (streams.length > 1) return undefined;
  }
  return streams[0] && { content: file.slice(streams[0].start, streams[0].end), ranges: streams };
}

/** Undefined unless a stream starts here, and ends where the box in it does. */
function streamAt(file: FileBytes, start: number): ByteRange | undefined {
  if (!STREAM_STARTS.some((text) => start >= text.length && file.hasText(start - text.length, text))) return undefined;
  const end = start + file.u32(start);
  if (end > file.size) return undefined;
  const isEnd = STREAM_END.test(file.text(end, Math.min(file.size, end + STREAM_END_BYTES)));
  const firstEnd = file.find(STREAM_END_WORD, start);
  return isEnd && firstEnd >= end ? { start, end } : undefined;
}
