// Bodies of lines (NDJSON), each a JSON value, answered line by line while they arrive: neither the request nor the response
// is ever in memory as a whole. A line that is not valid gets its own error, all others their result.

import type { IncomingMessage } from 'node:http';
import { type LinesForm, linesMediaType, RegistryError } from '@provenance-registry/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { clientOf } from './client.js';
import { describeError, internalError } from './errors.js';
import { busyError, incompleteError, parseJson } from './json.js';
import type { HttpLimits } from './limits.js';
import type { Holding } from './memoryBudget.js';
import type { Upload, UploadsInProgress } from './uploadsInProgress.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined when the body is JSON. */
    lines: RequestLines | undefined;
  }
}

/** Numbers start at 1 and count empty lines, which are skipped. */
export type Line =
  | { readonly number: number; readonly value: unknown; readonly error?: undefined }
  | { readonly number: number; readonly error: RegistryError };

/** One result for each line, in their order. */
export type AnswerLines = (lines: readonly Line[]) => Promise<readonly object[]>;

export interface RequestLines {
  /**
   * The lines of the response, in pieces. When `answer` throws, the last line is that error with the number of the first
   * line that has no result; if nothing was answered before, the error is thrown.
   */
  answer(answer: AnswerLines): AsyncGenerator<string>;
}

/** Other names that are in use. */
const otherTypes = ['application/ndjson', 'application/jsonl'];

/** Enough for one statement of the database, and few enough to be formatted without delaying other requests. */
const MAX_PIECE_LINES = 500;

type LineLimits = Pick<HttpLimits, 'uploadCheckMs' | 'uploadBytesPerCheck' | 'lingerMs'>;

export interface AcceptLinesOptions {
  readonly form: LinesForm;
  /** Of an operation without credentials. */
  readonly isPublic: boolean;
  readonly limits: LineLimits;
  readonly uploads: UploadsInProgress;
}

export function acceptLines(scope: FastifyInstance, options: AcceptLinesOptions): FastifyInstance {
  const { form, isPublic, limits, uploads } = options;
  const closers = new WeakMap<FastifyRequest, () => void>();
  scope.addContentTypeParser([linesMediaType, ...otherTypes], async (request: FastifyRequest) => {
    const progress = new Progress(request.raw.socket, limits);
    const upload = uploads(clientOf(request), progress, { isPublic });
    const lines = new IncomingLines(request, form, progress, upload, limits.lingerMs);
    closers.set(request, () => lines.close());
    request.lines = lines;
  });
  // Not when the last line is generated: the client may not have read it yet.
  scope.addHook('onRequest', async (request, reply) => {
    reply.raw.once('close', () => closers.get(request)?.());
  });
  return scope;
}

/**
 * How much the client has sent and received. Time in which the service works on its lines counts as if the client had been
 * quick enough.
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

class IncomingLines implements RequestLines {
  readonly #request: FastifyRequest;
  readonly #splitter: LineSplitter;
  readonly #progress: Progress;
  readonly #upload: Upload;
  /** Of results that the client has not read yet. */
  readonly #holding: Holding;
  /** Why the client gets no further results. */
  #reason: RegistryError | undefined;
  #lingering: NodeJS.Timeout | undefined;
  #wake = (): void => {};

  constructor(request: FastifyRequest, form: LinesForm, progress: Progress, upload: Upload, lingerMs: number) {
    this.#request = request;
    this.#splitter = new LineSplitter(form);
    this.#progress = progress;
    this.#upload = upload;
    const { socket } = request.raw;
    const end = (reason: RegistryError) => {
      this.#reason ??= reason;
      this.#wake();
      // Time to read the reason, if the client reads at all.
      this.#lingering ??= setTimeout(() => socket.destroy(), lingerMs);
    };
    upload.onEnd(end);
    this.#holding = upload.hold(() => {
      this.#holding.release();
      end(busyError());
    });
  }

  close(): void {
    clearTimeout(this.#lingering);
    this.#upload.finish();
    this.#holding.release();
  }

  async *answer(answer: AnswerLines): AsyncGenerator<string> {
    const { raw } = this.#request;
    const wake = () => this.#wake();
    const events = ['readable', 'end', 'close', 'error'];
    for (const event of events) raw.on(event, wake);
    let unansweredLine = 1;
    try {
      for await (const lines of this.#receivePieces()) {
        const text = await this.#progress.countWork(async () => formatLines(await answer(lines)));
        if (!this.#holding.add(text.length)) throw busyError();
        unansweredLine = (lines.at(-1)?.number ?? 0) + 1;
        yield text;
        // The connection may still have to send it while the next piece is made.
        this.#holding.release();
        if (!this.#holding.add(text.length)) throw busyError();
      }
    } catch (error) {
      if (unansweredLine === 1) throw error;
      const stated = error instanceof RegistryError ? error : internalError(error);
      yield formatLines([{ line: unansweredLine, ...describeError(stated, this.#request).body }]);
    } finally {
      // With a listener of `readable`, the rest of the request could not be drained.
      for (const event of events) raw.off(event, wake);
    }
  }

  /** What has arrived is answered at once: the client may wait for results before it sends more. */
  async *#receivePieces(): AsyncGenerator<readonly Line[]> {
    for (;;) {
      const chunk = await this.#receiveChunk();
      let piece: Line[] = [];
      for (const line of chunk ? this.#splitter.split(chunk) : this.#splitter.end()) {
        if (piece.push(line) < MAX_PIECE_LINES) continue;
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
      if (this.#reason) throw this.#reason;
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

  *split(chunk: Buffer): Generator<Line> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      yield* this.#finishLine(chunk.subarray(start, end));
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  *end(): Generator<Line> {
    if (this.#partialBytes > 0 || this.#isTooLong) yield* this.#finishLine(Buffer.alloc(0));
  }

  *#finishLine(rest: Buffer): Generator<Line> {
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

function parseLine(number: number, bytes: Uint8Array): Line {
  try {
    return { number, value: parseJson(bytes, 'line') };
  } catch (error) {
    if (error instanceof RegistryError) return { number, error };
    throw error;
  }
}

function formatLines(results: readonly object[]): string {
  return results.map((result) => `${JSON.stringify(result)}\n`).join('');
}

function lineTooLongError(maxBytes: number): RegistryError {
  return new RegistryError('PAYLOAD_TOO_LARGE', `The line has more than ${maxBytes} bytes.`);
}

function tooManyError({ maxLines }: LineSplitter): RegistryError {
  return new RegistryError('PAYLOAD_TOO_LARGE', `The body has more than ${maxLines} lines.`);
}
