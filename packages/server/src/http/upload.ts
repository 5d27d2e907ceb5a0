// Files in requests: hashed as they arrive, never written anywhere, and kept in memory only while they are small.

import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { RegistryError } from '@provenance-registry/core';
import type { UploadedFile } from '../domain/creationRequest.js';
import { StreamingHash } from './streamingHash.js';

/** What a form holds: its fields by their names, and `file`, if there is one. */
export type Form = Record<string, unknown> & { readonly file?: ReceivedFile };

export interface ReceivedFile extends UploadedFile {
  /** As the part or the header says. */
  readonly name: string | undefined;
  readonly mediaType: string | undefined;
}

export interface UploadLimits {
  readonly maxBytes: number;
  /** Files up to this size are kept whole, for a look at what they are. */
  readonly keepBytes: number;
}

/** A fingerprint, a name, a time: none is longer. */
const MAX_FIELD_BYTES = 16 * 1024;
const MAX_PARTS = 64;
const MAX_PART_HEADERS = 32;
/** Enough for every kind of file to say what it is. */
const HEAD_BYTES = 64 * 1024;
/** All uploads together may keep so much; whoever comes then is hashed and not looked at. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024;
let kept = 0;

/** Finished uploads that are still needed. */
const held = new WeakSet<UploadedFile>();

/** Says that a file is needed no longer; it may be said more than once. */
export function release(file: UploadedFile): void {
  if (held.delete(file)) kept -= file.bytes.length;
}

/** Bytes that uploads under way, and finished ones that are still needed, hold right now. */
export function keptBytes(): number {
  return kept;
}

export async function receiveFile(
  stream: Readable,
  { maxBytes, keepBytes }: UploadLimits,
  { name, mediaType }: { name?: string | undefined; mediaType?: string | undefined } = {},
): Promise<ReceivedFile> {
  const hash = new StreamingHash();
  const keeping = new Keeping(keepBytes);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      keeping.add(chunk);
      if (keeping.size > maxBytes) throw tooLarge();
      const isFull = hash.update(chunk);
      if (isFull) await isFull;
    }
    const digest = await hash.digest();
    const { size, isWhole } = keeping;
    const isCrowdedOut = !isWhole && size <= keepBytes;
    const file = { digest, size, bytes: keeping.bytes(), isWhole, isCrowdedOut, name, mediaType };
    if (isWhole) held.add(file);
    return file;
  } catch (error) {
    keeping.drop();
    hash.abandon();
    throw error;
  }
}

/** What is kept of a file while it arrives: all of it, or its beginning once it is too large for that. */
class Keeping {
  size = 0;
  isWhole: boolean;
  #chunks: Buffer[] = [];
  readonly #atMost: number;

  constructor(atMost: number) {
    this.#atMost = atMost;
    this.isWhole = atMost > 0;
  }

  add(chunk: Buffer): void {
    if (this.size + chunk.length > this.#atMost || kept + chunk.length > MAX_KEPT_BYTES) this.drop();
    if (this.isWhole) kept += chunk.length;
    if (this.isWhole || (this.#atMost > 0 && this.size < HEAD_BYTES)) this.#chunks.push(chunk);
    this.size += chunk.length;
  }

  drop(): void {
    if (!this.isWhole) return;
    kept -= this.size;
    this.isWhole = false;
    // A copy: a part of a buffer would keep all of it in memory.
    this.#chunks = [Buffer.from(this.bytes().subarray(0, HEAD_BYTES))];
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

/** Reads a form to its end. Whatever is wrong with it, nothing of it is kept. */
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
      // Nobody else ends it: whoever reads it would wait, and hold its bytes, for good.
      fileStream?.destroy(malformed());
      void file?.then(release, () => undefined);
      reject(error instanceof RegistryError ? error : malformed());
    }

    form.on('field', (name, value, nameTruncated, valueTruncated) => {
      if (nameTruncated || valueTruncated)
        fail(new RegistryError('PAYLOAD_TOO_LARGE', 'A field of the form is too long.'));
      else if (['__proto__', 'constructor', 'file'].includes(name))
        fail(refused(`The form may not have a field ${name}.`));
      else if (fields.has(name)) fail(refused(`The form has the field ${name} twice.`));
      else fields.set(name, value);
    });
    form.on('file', (name, stream, filename, _encoding, mediaType) => {
      // The parser goes on to the end of what it has; of a form that is refused already, nobody would let go of the file.
      if (name !== 'file' || isSettled) {
        stream.resume();
        return;
      }
      if (file) {
        stream.resume();
        fail(refused('The form has two files.'));
        return;
      }
      fileStream = stream;
      file = receiveFile(stream, limits, { name: filename, mediaType });
      file.catch(fail);
    });
    for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
      form.on(event, () => fail(refused('The form has too many parts.')));
    }
    form.on('error', fail);
    // A part that ends within its headers is waited for by the parser, and by nobody else: it would never finish.
    form.once('prefinish', async () => {
      await file?.catch(() => undefined);
      setImmediate(() => {
        if (!isRead) fail(malformed());
      });
    });
    form.on('finish', async () => {
      isRead = true;
      try {
        const received = await file;
        if (fields.size === 0 && !received) throw malformed();
        if (isSettled) return;
        isSettled = true;
        resolve({ ...Object.fromEntries(fields), ...(received && { file: received }) });
      } catch (error) {
        fail(error);
      }
    });
    request.once('aborted', () => fail(malformed()));
    request.once('error', fail);
    request.pipe(form);
  });
}

function openForm(request: IncomingMessage, { maxBytes }: UploadLimits) {
  const { 'content-type': contentType, ...others } = request.headers;
  const headers: BusboyHeaders = { ...others, 'content-type': contentType ?? '' };
  try {
    return new Busboy({
      headers,
      preservePath: true,
      limits: {
        // One more than is allowed shows that it is too much.
        fileSize: maxBytes + 1,
        fieldSize: MAX_FIELD_BYTES,
        fieldNameSize: 100,
        parts: MAX_PARTS,
        headerPairs: MAX_PART_HEADERS,
      },
    });
  } catch {
    throw malformed();
  }
}

function tooLarge(): RegistryError {
  return new RegistryError('PAYLOAD_TOO_LARGE', 'The file is larger than this server takes.');
}

function malformed(): RegistryError {
  return refused('The form is malformed, or ends too early.');
}

function refused(message: string): RegistryError {
  return new RegistryError('BAD_REQUEST', message);
}
