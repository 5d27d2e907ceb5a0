// Bodies of lines (NDJSON), each a JSON value, processed line by line while they arrive: neither the request nor the response
// is ever in memory as a whole. A line that is not valid gets its own error, all others their result.

import type { IncomingMessage } from 'node:http';
import { type LinesForm, linesMediaType, RegistryError } from '@provenance-registry/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { mapInSlices } from '../../workers/slices.js';
import type { HttpLimits } from '../budgets/limits.js';
import type { MemoryBudget, MemoryReservation } from '../budgets/memoryBudget.js';
import { clientOf } from '../callOrigin.js';
import { describeError } from '../errors.js';
import { StreamedJson, StreamedLines } from '../responses/streams.js';
import type { Upload, UploadsInProgress } from '../uploads/uploadsInProgress.js';
import { busyError, incompleteError, parseJson, receiveJson } from './json.js';
import { parseJsonList } from './jsonLists.js';

declare module 'fastify' {
  interface FastifyRequest {
    items: Items | undefined;
  }
}

/** A line or item: numbers start at 1 and count empty lines, which are skipped. */
export type Item =
  | { readonly number: number; readonly value: unknown; readonly error?: undefined }
  | { readonly number: number; readonly error: RegistryError };

/** One result for each item, in their order. */
export type ProcessItems = (items: readonly Item[]) => Promise<readonly object[]>;

export interface Items {
  /**
   * Responds in pieces, in the form in which they came: lines, or JSON with `results`. When `process` throws before
   * anything was sent, the response is that error. Later, it ends a JSON response without its end, and is the last line
   * of the others, with the number of the first line that has no result.
   */
  respond(process: ProcessItems): StreamedLines | StreamedJson;
}

/** Enough for one statement of the database, and few enough to be formatted without delaying other requests. */
const MAX_PIECE_ITEMS = 500;
/** Written in a millisecond: an Artifact has three kilobytes. */
const RESULTS_PER_SLICE = 50;
/** What an item of a JSON body takes in memory until it is processed: a text of 70 characters, or more. */
const ITEM_BYTES = 100;
/** Other names of the media type that are in use. */
const otherTypes = ['application/ndjson', 'application/jsonl'];

type LineLimits = Pick<HttpLimits, 'uploadCheckMs' | 'uploadBytesPerCheck' | 'lingerMs'>;

export interface AcceptLinesOptions {
  readonly form: LinesForm;
  /** The operation needs no credentials. */
  readonly isPublic: boolean;
  readonly limits: LineLimits;
  readonly uploads: UploadsInProgress;
  readonly memory: MemoryBudget;
}

export function acceptLines(scope: FastifyInstance, options: AcceptLinesOptions): FastifyInstance {
  const { form } = options;
  const streams = new WeakMap<FastifyRequest, PacedStream>();
  const open = (request: FastifyRequest) => {
    const stream = new PacedStream(request, options);
    streams.set(request, stream);
    return stream;
  };
  scope.addContentTypeParser([linesMediaType, ...otherTypes], async (request: FastifyRequest) => {
    request.items = new LineItems(request, form, open(request));
  });
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser('application/json', async (request: FastifyRequest) => {
    const { bytes, lists } = await receiveJson(request, options.memory);
    const { member, maxLineBytes: maxItemBytes } = form;
    return parseJsonList(bytes, lists, { member, maxItemBytes, client: clientOf(request) });
  });
  scope.addHook('preHandler', async (request) => {
    request.items ??= new JsonItems(request.body, form, open(request));
  });
  // Not when the last piece is made: the client may not have read it yet.
  scope.addHook('onRequest', async (request, reply) => {
    reply.raw.once('close', () => streams.get(request)?.close());
  });
  return scope;
}

/**
 * How much the client has sent and received. Time in which the service works for it counts as if the client had been quick
 * enough.
 */
class Progress {
  readonly #socket: IncomingMessage['socket'];
  readonly #bytesPerMs: number;
  #workedMs = 0;
  #workingSince: number | undefined;

  constructor(socket: IncomingMessage['socket'], { uploadBytesPerCheck, uploadCheckMs }: LineLimits) {
    this.#socket = socket;
    // Twice the rate: the time between two checks is not exact.
    this.#bytesPerMs = (2 * uploadBytesPerCheck) / uploadCheckMs;
  }

  get bytesRead(): number {
    const workingMs = this.#workingSince === undefined ? 0 : performance.now() - this.#workingSince;
    const { bytesRead, bytesWritten } = this.#socket;
    return bytesRead + bytesWritten + (this.#workedMs + workingMs) * this.#bytesPerMs;
  }

  async countWork<T>(work: () => Promise<T>): Promise<T> {
    const start = performance.now();
    this.#workingSince = start;
    try {
      return await work();
    } finally {
      this.#workingSince = undefined;
      this.#workedMs += performance.now() - start;
    }
  }
}

/** The request and its response: ended when the client is too slow, or when others need the memory of its results. */
class PacedStream {
  readonly progress: Progress;
  /** Why the client gets no further results. */
  reason: RegistryError | undefined;
  readonly #client: string;
  readonly #upload: Upload;
  readonly #holding: MemoryReservation;
  #lingering: NodeJS.Timeout | undefined;
  #notify = (): void => {};

  constructor(request: FastifyRequest, { isPublic, limits, uploads }: AcceptLinesOptions) {
    const { socket } = request.raw;
    this.progress = new Progress(socket, limits);
    this.#client = clientOf(request);
    this.#upload = uploads(this.#client, this.progress, { isPublic });
    const end = (reason: RegistryError) => {
      this.reason ??= reason;
      this.#notify();
      // Time to read the reason, if the client reads at all.
      this.#lingering ??= setTimeout(() => socket.destroy(), limits.lingerMs);
    };
    this.#upload.onEnd(end);
    this.#holding = this.#upload.hold(() => {
      this.#holding.release();
      end(busyError());
    });
  }

  onEnd(listener: () => void): void {
    this.#notify = listener;
  }

  /** Each result as JSON. */
  format(results: readonly object[]): Promise<string[]> {
    return mapInSlices(this.#client, results, RESULTS_PER_SLICE, (result) => JSON.stringify(result));
  }

  close(): void {
    clearTimeout(this.#lingering);
    this.#upload.finish();
    this.#holding.release();
  }

  /** @param baseBytes held until the end */
  async *send(pieces: AsyncIterable<string>, baseBytes = 0): AsyncGenerator<string> {
    // The connection may still have to send a piece while the next one is made.
    let previousBytes = 0;
    this.#hold(baseBytes);
    for await (const piece of pieces) {
      this.#hold(baseBytes + previousBytes + piece.length);
      previousBytes = piece.length;
      yield piece;
    }
  }

  #hold(bytes: number): void {
    this.#holding.release();
    if (this.reason) throw this.reason;
    if (!this.#holding.add(bytes)) throw busyError();
  }
}

class JsonItems implements Items {
  readonly #values: readonly unknown[];
  readonly #stream: PacedStream;

  constructor(body: unknown, { member }: LinesForm, stream: PacedStream) {
    const values: unknown = Reflect.get(Object(body), member);
    this.#values = Array.isArray(values) ? values : [];
    this.#stream = stream;
  }

  respond(process: ProcessItems): StreamedJson {
    return new StreamedJson(this.#stream.send(this.#formatPieces(process), this.#values.length * ITEM_BYTES));
  }

  async *#formatPieces(process: ProcessItems): AsyncGenerator<string> {
    let start = '{"results":[';
    for (let index = 0; index < this.#values.length; index += MAX_PIECE_ITEMS) {
      const values = this.#values.slice(index, index + MAX_PIECE_ITEMS);
      const items = values.map((value, offset) => ({ number: index + offset + 1, value }));
      const results = await this.#stream.progress.countWork(() => process(items));
      yield start + (await this.#stream.format(results)).join(',');
      start = ',';
    }
    yield this.#values.length === 0 ? `${start}]}` : ']}';
  }
}

class LineItems implements Items {
  readonly #request: FastifyRequest;
  readonly #splitter: LineSplitter;
  readonly #stream: PacedStream;
  #wake = (): void => {};

  constructor(request: FastifyRequest, form: LinesForm, stream: PacedStream) {
    this.#request = request;
    this.#splitter = new LineSplitter(form);
    this.#stream = stream;
    stream.onEnd(() => this.#wake());
  }

  respond(process: ProcessItems): StreamedLines {
    return new StreamedLines(this.#withLastError(process));
  }

  async *#withLastError(process: ProcessItems): AsyncGenerator<string> {
    const { raw } = this.#request;
    const wake = () => this.#wake();
    const events = ['readable', 'end', 'close', 'error'];
    for (const event of events) raw.on(event, wake);
    let firstPendingLine = 1;
    const pieces = this.#formatPieces(process, (line) => {
      firstPendingLine = line;
    });
    let isStarted = false;
    try {
      for await (const piece of this.#stream.send(pieces)) {
        isStarted = true;
        yield piece;
      }
    } catch (error) {
      if (!isStarted) throw error;
      const { body } = describeError(error, this.#request);
      yield `${JSON.stringify({ line: firstPendingLine, ...body })}\n`;
    } finally {
      // With a listener of `readable`, the rest of the request could not be drained.
      for (const event of events) raw.off(event, wake);
    }
  }

  async *#formatPieces(process: ProcessItems, onProcessed: (nextLine: number) => void): AsyncGenerator<string> {
    for await (const lines of this.#receivePieces()) {
      const results = await this.#stream.progress.countWork(() => process(lines));
      yield (await this.#stream.format(results)).map((line) => `${line}\n`).join('');
      onProcessed((lines.at(-1)?.number ?? 0) + 1);
    }
  }

  /** Yields what has arrived at once: the client may wait for results before it sends more. */
  async *#receivePieces(): AsyncGenerator<readonly Item[]> {
    for (;;) {
      const chunk = await this.#receiveChunk();
      let piece: Item[] = [];
      for (const line of chunk ? this.#splitter.split(chunk) : this.#splitter.end()) {
        if (piece.push(line) < MAX_PIECE_ITEMS) continue;
        yield piece;
        piece = [];
      }
      if (piece.length > 0) yield piece;
      if (this.#splitter.isFull) throw tooManyError(this.#splitter);
      if (!chunk) return;
    }
  }

  async #receiveChunk(): Promise<Buffer | undefined> {
    const { raw } = this.#request;
    for (;;) {
      if (this.#stream.reason) throw this.#stream.reason;
      const chunk: unknown = raw.read();
      if (Buffer.isBuffer(chunk)) return chunk;
      if (raw.readableEnded) return undefined;
      if (raw.destroyed) throw incompleteError();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** Cuts chunks of bytes into lines, and parses those. */
class LineSplitter {
  readonly maxLines: number;
  /** There are more lines than allowed; further ones are ignored. */
  isFull = false;
  /** The line whose end has not arrived yet, unless it is too long. */
  readonly #partial: Buffer;
  #partialBytes = 0;
  #isTooLong = false;
  #number = 0;

  constructor({ maxLines, maxLineBytes }: LinesForm) {
    this.maxLines = maxLines;
    this.#partial = Buffer.allocUnsafeSlow(maxLineBytes);
  }

  *split(chunk: Buffer): Generator<Item> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      yield* this.#finishLine(chunk.subarray(start, end));
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  *end(): Generator<Item> {
    if (this.#partialBytes > 0 || this.#isTooLong) yield* this.#finishLine(Buffer.alloc(0));
  }

  *#finishLine(rest: Buffer): Generator<Item> {
    let bytes = rest;
    if (this.#partialBytes > 0 || rest.length > this.#partial.length) {
      this.#keep(rest);
      bytes = this.#partial.subarray(0, this.#partialBytes);
    }
    const isTooLong = this.#isTooLong;
    this.#partialBytes = 0;
    this.#isTooLong = false;
    this.#number += 1;
    this.isFull = this.#number > this.maxLines;
    if (this.isFull) return;
    if (isTooLong) yield { number: this.#number, error: lineTooLongError(this.#partial.length) };
    else if (!bytes.every(isBlank)) yield parseLine(this.#number, bytes);
  }

  #keep(part: Buffer): void {
    if (this.#partialBytes + part.length > this.#partial.length) this.#isTooLong = true;
    if (this.#isTooLong) this.#partialBytes = 0;
    else this.#partialBytes += part.copy(this.#partial, this.#partialBytes);
  }
}

const NEWLINE = 0x0a;

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

function parseLine(number: number, bytes: Uint8Array): Item {
  try {
    return { number, value: parseJson(bytes, 'line') };
  } catch (error) {
    if (error instanceof RegistryError) return { number, error };
    throw error;
  }
}

function lineTooLongError(maxBytes: number): RegistryError {
  return new RegistryError('PAYLOAD_TOO_LARGE', `The line has more than ${maxBytes} bytes.`);
}

function tooManyError({ maxLines }: LineSplitter): RegistryError {
  return new RegistryError('PAYLOAD_TOO_LARGE', `The body has more than ${maxLines} lines.`);
}
