// Files in requests: hashed as they arrive, never written to disk, and buffered in memory only if they are small.

import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { RegistryError } from '@provenance-registry/core';
import type { UploadedFile } from '../../domain/artifacts/creationRequest.js';
import type { MemoryReservation } from '../budgets/memoryBudget.js';
import { ManifestScanner } from './manifestScanner.js';
import { StreamingHash } from './streamingHash.js';
import type { Upload } from './uploadsInProgress.js';

type Form = Record<string, unknown> & { readonly file?: ReceivedFile };

export interface ReceivedFile extends UploadedFile {
  /** The type that the part or the header states. */
  readonly name: string | undefined;
  readonly mediaType: string | undefined;
}

export interface UploadLimits {
  readonly maxBytes: number;
  /** Files up to this size are buffered whole, so that their content can be inspected. */
  readonly maxBufferedBytes: number;
  /** Buffers only images that carry a manifest; others are neither whole nor crowded out. */
  readonly onlyWithManifest?: boolean;
  /** Whether the request may fail if its file cannot be buffered whole: then the files of a client are received by turns. */
  readonly needsWhole?: (request: Pick<IncomingMessage, 'headers'>) => boolean;
}

/** Fields are fingerprints, names and times. */
const MAX_FIELD_BYTES = 16 * 1024;
const MAX_PARTS = 64;
const MAX_PART_HEADERS = 32;
/** Bytes of a form besides its file: all fields and their headers. */
export const MAX_FORM_BYTES = 2 * MAX_PARTS * MAX_FIELD_BYTES;
/** Bytes of a file that is not buffered whole: enough to detect its type. */
const HEAD_BYTES = 16 * 1024;
/** Buffers grow by doubling; up to this size, or beyond it, at once to the expected size, so that nothing large is copied. */
const MAX_DOUBLED_BYTES = 1024 * 1024;

/** Few: each costs memory besides its bytes. Images of usual size arrive in about ten. */
const MAX_KEPT_CHUNKS = 64;

/** The memory of complete files. */
const holdings = new WeakMap<UploadedFile, MemoryReservation>();

/** Must be called when a file is no longer needed; further calls do nothing. */
export function releaseFile(file: UploadedFile): void {
  holdings.get(file)?.release();
}

interface FileFacts {
  readonly name?: string | undefined;
  readonly mediaType?: string | undefined;
  /** The largest number of bytes that will arrive. */
  readonly expectedBytes?: number | undefined;
}

export function receiveFile(
  stream: Readable,
  { maxBytes, maxBufferedBytes, onlyWithManifest = false }: UploadLimits,
  upload: Upload,
  { name, mediaType, expectedBytes }: FileFacts = {},
): Promise<ReceivedFile> {
  const hash = new StreamingHash(expectedBytes);
  const buffer = new UploadBuffer(maxBufferedBytes, expectedBytes, upload, onlyWithManifest);
  const scanner = onlyWithManifest ? new ManifestScanner() : undefined;
  return new Promise((resolve, reject) => {
    let isOver = false;

    function fail(error: unknown): void {
      if (isOver) return;
      isOver = true;
      stream.off('data', add);
      stream.pause();
      buffer.truncate();
      hash.abandon();
      reject(error);
    }
    function add(chunk: Buffer): void {
      scanner?.add(chunk);
      if (scanner?.isHopeless) buffer.truncate();
      if (scanner?.isFound) buffer.copyChunks();
      buffer.add(chunk);
      if (buffer.size > maxBytes) {
        fail(fileTooLargeError());
        return;
      }
      const pause = hash.update(chunk);
      if (!pause) return;
      stream.pause();
      pause.then(() => !isOver && stream.resume(), fail);
    }
    async function finish(): Promise<void> {
      const digest = await hash.digest();
      if (isOver) return;
      isOver = true;
      const isWanted = scanner?.isFound ?? true;
      if (!isWanted) buffer.truncate();
      const { size, isWhole, holding } = buffer;
      const wasEvicted = isWanted && !isWhole && size <= maxBufferedBytes;
      const file = { digest, size, bytes: buffer.bytes(), isWhole, wasEvicted, name, mediaType };
      holding.keep();
      holdings.set(file, holding);
      resolve(file);
    }

    upload.onEnd(fail);
    stream.on('data', add);
    stream.once('end', () => finish().catch(fail));
    // Also of the connection, when the client closes it.
    stream.on('error', (error) => fail(error instanceof RegistryError ? error : malformedFormError()));
    stream.once('close', () => {
      if (!stream.readableEnded) fail(malformedFormError());
    });
  });
}

/** The buffered part of a file: all of it, or only its beginning once it is too large or others need the memory. */
class UploadBuffer {
  size = 0;
  isWhole: boolean;
  readonly holding: MemoryReservation;
  readonly #maxBytes: number;
  readonly #expectedBytes: number | undefined;
  readonly #keepsHead: boolean;
  #bytes = Buffer.alloc(0);
  #usedBytes = 0;
  /** The chunks as they arrived: copying them is most of the cost of a file that turns out not to be wanted. */
  #chunks: Buffer[] | undefined;

  /** `isOptional`: keeps chunks until `copyChunks`, and of a file that is not buffered whole, nothing. */
  constructor(maxBytes: number, expectedBytes: number | undefined, upload: Upload, isOptional: boolean) {
    this.#maxBytes = maxBytes;
    this.#expectedBytes = expectedBytes;
    this.#keepsHead = maxBytes > 0 && !isOptional;
    if (isOptional) this.#chunks = [];
    // A file that cannot fit is not buffered in vain.
    this.isWhole = maxBytes > 0 && (expectedBytes ?? 0) <= maxBytes + MAX_FORM_BYTES;
    this.holding = upload.hold(() => this.truncate());
  }

  add(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.isWhole && (this.size > this.#maxBytes || !this.holding.add(chunk.length))) this.truncate();
    if (this.isWhole) this.#append(chunk);
    else if (this.#keepsHead) this.#append(chunk.subarray(0, Math.max(0, HEAD_BYTES - this.#usedBytes)));
  }

  /** The file is wanted after all. */
  copyChunks(): void {
    const chunks = this.#chunks ?? [];
    this.#chunks = undefined;
    for (const chunk of chunks) this.#append(chunk);
  }

  truncate(): void {
    if (!this.isWhole) return;
    this.isWhole = false;
    this.holding.release();
    this.#chunks = undefined;
    // A copy: a view would keep the whole buffer in memory.
    this.#bytes = Buffer.from(this.bytes().subarray(0, HEAD_BYTES));
    this.#usedBytes = this.#bytes.length;
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#usedBytes);
  }

  #append(chunk: Buffer): void {
    if (this.#chunks && this.#chunks.length < MAX_KEPT_CHUNKS) {
      this.#chunks.push(chunk);
      return;
    }
    this.copyChunks();
    const needed = this.#usedBytes + chunk.length;
    if (needed > this.#bytes.length) this.#grow(needed);
    chunk.copy(this.#bytes, this.#usedBytes);
    this.#usedBytes = needed;
  }

  #grow(needed: number): void {
    const { length } = this.#bytes;
    const expected = this.#expectedBytes ?? Number.POSITIVE_INFINITY;
    const isNear = expected <= MAX_DOUBLED_BYTES || (needed > MAX_DOUBLED_BYTES && this.#expectedBytes !== undefined);
    const wanted = isNear ? expected : length * 2;
    // Memory that is not written to yet takes no place.
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(wanted, this.#maxBytes)));
    this.#bytes.copy(larger, 0, 0, this.#usedBytes);
    this.#bytes = larger;
  }
}

/** Reads a form to its end. If it fails, nothing of it stays buffered. */
export function receiveForm(request: IncomingMessage, limits: UploadLimits, upload: Upload): Promise<Form> {
  return new Promise((resolve, reject) => {
    new FormReceiver(request, limits, upload, { resolve, reject }).start();
  });
}

interface FormOutcome {
  readonly resolve: (form: Form) => void;
  readonly reject: (error: RegistryError) => void;
}

class FormReceiver {
  readonly #request: IncomingMessage;
  readonly #limits: UploadLimits;
  readonly #upload: Upload;
  readonly #outcome: FormOutcome;
  readonly #form: ReturnType<typeof openForm>;
  readonly #fields = new Map<string, unknown>();
  #file: Promise<ReceivedFile> | undefined;
  #fileStream: Readable | undefined;
  #isSettled = false;
  #isRead = false;

  constructor(request: IncomingMessage, limits: UploadLimits, upload: Upload, outcome: FormOutcome) {
    this.#request = request;
    this.#limits = limits;
    this.#upload = upload;
    this.#outcome = outcome;
    this.#form = openForm(request, limits);
  }

  start(): void {
    const fail = (error: unknown) => this.#fail(error);
    const form = this.#form;
    form.on('field', (name, value, nameTruncated, valueTruncated) => {
      if (nameTruncated || valueTruncated) fail(new RegistryError('PAYLOAD_TOO_LARGE', 'A form field is too long.'));
      else this.#addField(name, value);
    });
    form.on('file', (name, stream, filename, _encoding, mediaType) => {
      // The parser continues after a failure, when nothing would release the file any more.
      if (name === 'file' && !this.#isSettled) this.#addFile(stream, filename, mediaType);
      else stream.resume();
      // Null is valid for no field: a file in place of one is refused, as one that the operation does not have.
      if (name !== 'file') this.#addField(name, null);
    });
    for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
      form.on(event, () => fail(badRequest('The form has too many parts.')));
    }
    form.on('error', fail);
    // If a part ends within its headers, the parser waits for the rest and never emits `finish`.
    form.once('prefinish', async () => {
      await this.#file?.catch(() => undefined);
      setImmediate(() => {
        if (!this.#isRead) fail(malformedFormError());
      });
    });
    form.on('finish', () => this.#finish().catch(fail));
    this.#upload.onEnd(fail);
    // Also of what is no part of the form.
    let receivedBytes = 0;
    this.#request.on('data', (chunk: Buffer) => {
      receivedBytes += chunk.length;
      if (receivedBytes > this.#limits.maxBytes + MAX_FORM_BYTES) fail(fileTooLargeError());
    });
    this.#request.once('aborted', () => fail(malformedFormError()));
    this.#request.once('error', fail);
    this.#request.pipe(form);
  }

  #addField(name: string, value: unknown): void {
    if (['__proto__', 'constructor'].includes(name)) {
      this.#fail(badRequest(`The form field "${name}" is not allowed.`));
    } else if (this.#fields.has(name)) this.#fail(badRequest(`The form field "${name}" appears twice.`));
    else this.#fields.set(name, value);
  }

  #addFile(stream: Readable, name: string | undefined, mediaType: string): void {
    if (this.#file) {
      stream.resume();
      this.#fail(badRequest('The form has more than one file.'));
      return;
    }
    this.#fileStream = stream;
    const expectedBytes = declaredBytes(this.#request);
    const facts = { name, mediaType: statedType(name, mediaType), expectedBytes };
    this.#file = receiveFile(stream, this.#limits, this.#upload, facts);
    this.#file.catch((error: unknown) => this.#fail(error));
  }

  async #finish(): Promise<void> {
    this.#isRead = true;
    const file = await this.#file;
    if (this.#fields.size === 0 && !file) throw malformedFormError();
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#outcome.resolve({ ...Object.fromEntries(this.#fields), ...(file && { file }) });
  }

  #fail(error: unknown): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#request.unpipe(this.#form);
    this.#form.destroy();
    // Otherwise its reader would wait, and keep its bytes, forever.
    this.#fileStream?.destroy(malformedFormError());
    void this.#file?.then(releaseFile, () => undefined);
    this.#outcome.reject(error instanceof RegistryError ? error : malformedFormError());
  }
}

/** The parser reports `text/plain` for a part without a type, as clients send that do not name the file either. */
function statedType(filename: string | undefined, mediaType: string): string | undefined {
  return filename === undefined && mediaType === 'text/plain' ? undefined : mediaType;
}

/** Undefined when the body is sent in chunks of any number. */
export function declaredBytes({ headers }: IncomingMessage): number | undefined {
  const text = headers['content-length'];
  return text === undefined ? undefined : Number(text);
}

function openForm(request: IncomingMessage, { maxBytes }: UploadLimits) {
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
      preservePath: true,
      // Many clients send no filename for bytes that they did not read from a file.
      isPartAFile: (name, _mediaType, filename) => name === 'file' || filename !== undefined,
      limits: {
        // One more than allowed, so that a larger file is detected.
        fileSize: maxBytes + 1,
        fieldSize: MAX_FIELD_BYTES,
        fieldNameSize: 100,
        parts: MAX_PARTS,
        headerPairs: MAX_PART_HEADERS,
      },
    });
  } catch {
    throw malformedFormError();
  }
}

export function fileTooLargeError(): RegistryError {
  return new RegistryError('PAYLOAD_TOO_LARGE', 'The file is larger than this server allows.');
}

function malformedFormError(): RegistryError {
  return badRequest('The form is malformed or incomplete.');
}

function badRequest(message: string): RegistryError {
  return new RegistryError('BAD_REQUEST', message);
}
