// Files in requests: hashed as they arrive, never written to disk, and buffered in memory only if they are small.

import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { RegistryError } from '@provenance-registry/core';
import type { UploadedFile } from '../domain/creationRequest.js';
import { StreamingHash } from './streamingHash.js';

type Form = Record<string, unknown> & { readonly file?: ReceivedFile };

export interface ReceivedFile extends UploadedFile {
  /** As stated by the part or the header. */
  readonly name: string | undefined;
  readonly mediaType: string | undefined;
}

export interface UploadLimits {
  readonly maxBytes: number;
  /** Files up to this size are buffered whole, so that their content can be inspected. */
  readonly maxBufferedBytes: number;
}

/** Fields are fingerprints, names and times. */
const MAX_FIELD_BYTES = 16 * 1024;
const MAX_PARTS = 64;
const MAX_PART_HEADERS = 32;
/** Enough to detect the type of any file. */
const HEAD_BYTES = 64 * 1024;
/** Of all uploads together. Files beyond it are hashed but not inspected. */
const MAX_TOTAL_BUFFERED_BYTES = 256 * 1024 * 1024;
let totalBufferedBytes = 0;

/** Complete uploads whose bytes count in the total. */
const bufferedFiles = new WeakSet<UploadedFile>();

/** Must be called when a file is no longer needed; further calls do nothing. */
export function releaseFile(file: UploadedFile): void {
  if (bufferedFiles.delete(file)) totalBufferedBytes -= file.bytes.length;
}

/** Of running uploads and of files that are not released yet. */
export function bufferedBytes(): number {
  return totalBufferedBytes;
}

export async function receiveFile(
  stream: Readable,
  { maxBytes, maxBufferedBytes }: UploadLimits,
  { name, mediaType }: { name?: string | undefined; mediaType?: string | undefined } = {},
): Promise<ReceivedFile> {
  const hash = new StreamingHash();
  const buffer = new UploadBuffer(maxBufferedBytes);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      buffer.add(chunk);
      if (buffer.size > maxBytes) {
        throw new RegistryError('PAYLOAD_TOO_LARGE', 'The file is larger than this server allows.');
      }
      const pause = hash.update(chunk);
      if (pause) await pause;
    }
    const digest = await hash.digest();
    const { size, isWhole } = buffer;
    const isCrowdedOut = !isWhole && size <= maxBufferedBytes;
    const file = { digest, size, bytes: buffer.bytes(), isWhole, isCrowdedOut, name, mediaType };
    if (isWhole) bufferedFiles.add(file);
    return file;
  } catch (error) {
    buffer.truncate();
    hash.abandon();
    throw error;
  }
}

/** The buffered part of a file: all of it, or only its beginning once it is too large. */
class UploadBuffer {
  size = 0;
  isWhole: boolean;
  #chunks: Buffer[] = [];
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.isWhole = maxBytes > 0;
  }

  add(chunk: Buffer): void {
    const isTooLarge = this.size + chunk.length > this.#maxBytes;
    if (isTooLarge || totalBufferedBytes + chunk.length > MAX_TOTAL_BUFFERED_BYTES) this.truncate();
    if (this.isWhole) totalBufferedBytes += chunk.length;
    if (this.isWhole || (this.#maxBytes > 0 && this.size < HEAD_BYTES)) this.#chunks.push(chunk);
    this.size += chunk.length;
  }

  truncate(): void {
    if (!this.isWhole) return;
    totalBufferedBytes -= this.size;
    this.isWhole = false;
    // A copy: a view would keep the whole buffer in memory.
    this.#chunks = [Buffer.from(this.bytes().subarray(0, HEAD_BYTES))];
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

/** Reads a form to its end. If it fails, nothing of it stays buffered. */
export function receiveForm(request: IncomingMessage, limits: UploadLimits): Promise<Form> {
  return new Promise((resolve, reject) => {
    const fields = new Map<string, unknown>();
    let file: Promise<ReceivedFile> | undefined;
    let fileStream: Readable | undefined;
    let isSettled = false;
    let isRead = false;
    const form = openForm(request, limits);

    function fail(error: unknown): void {
      if (isSettled) return;
      isSettled = true;
      request.unpipe(form);
      form.destroy();
      // Otherwise its reader would wait, and keep its bytes, forever.
      fileStream?.destroy(malformedFormError());
      void file?.then(releaseFile, () => undefined);
      reject(error instanceof RegistryError ? error : malformedFormError());
    }

    form.on('field', (name, value, nameTruncated, valueTruncated) => {
      if (nameTruncated || valueTruncated) fail(new RegistryError('PAYLOAD_TOO_LARGE', 'A form field is too long.'));
      else if (['__proto__', 'constructor', 'file'].includes(name))
        fail(badRequest(`The form field "${name}" is not allowed.`));
      else if (fields.has(name)) fail(badRequest(`The form field "${name}" appears twice.`));
      else fields.set(name, value);
    });
    form.on('file', (name, stream, filename, _encoding, mediaType) => {
      // The parser continues after a failure, when nothing would release the file any more.
      if (name !== 'file' || isSettled) {
        stream.resume();
        return;
      }
      if (file) {
        stream.resume();
        fail(badRequest('The form has more than one file.'));
        return;
      }
      fileStream = stream;
      file = receiveFile(stream, limits, { name: filename, mediaType });
      file.catch(fail);
    });
    for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
      form.on(event, () => fail(badRequest('The form has too many parts.')));
    }
    form.on('error', fail);
    // If a part ends within its headers, the parser waits for the rest and never emits `finish`.
    form.once('prefinish', async () => {
      await file?.catch(() => undefined);
      setImmediate(() => {
        if (!isRead) fail(malformedFormError());
      });
    });
    form.on('finish', async () => {
      isRead = true;
      try {
        const received = await file;
        if (fields.size === 0 && !received) throw malformedFormError();
        if (isSettled) return;
        isSettled = true;
        resolve({ ...Object.fromEntries(fields), ...(received && { file: received }) });
      } catch (error) {
        fail(error);
      }
    });
    request.once('aborted', () => fail(malformedFormError()));
    request.once('error', fail);
    request.pipe(form);
  });
}

function openForm(request: IncomingMessage, { maxBytes }: UploadLimits) {
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
      preservePath: true,
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

function malformedFormError(): RegistryError {
  return badRequest('The form is malformed or incomplete.');
}

function badRequest(message: string): RegistryError {
  return new RegistryError('BAD_REQUEST', message);
}
