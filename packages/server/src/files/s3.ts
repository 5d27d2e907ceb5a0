// Published files in a bucket of any S3-compatible store.

import { randomUUID } from 'node:crypto';
import { limitConcurrency } from '@provenance-registry/core';
import type { FileStore, ListedFile } from '../domain/ports/index.js';
import { CACHE_CONTROL, mediaTypeOf, requireMediaType } from './names.js';
import {
  defaultS3Limits,
  openS3Bucket,
  type S3Bucket,
  type S3Location,
  type S3Response,
  unavailableError,
} from './s3Bucket.js';

/** The environment has the usual variables: AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID and so on. */
export function openS3Store(
  location: S3Location,
  environment: Readonly<Record<string, string | undefined>>,
  limits: Readonly<typeof defaultS3Limits> = defaultS3Limits,
): FileStore {
  return new S3Store(openS3Bucket(location, environment, limits));
}

/** Of a batch, hundreds are published at once. More connections are not quicker, and time out where few are allowed. */
const MAX_PARALLEL_UPLOADS = 96;
/** Twice what all batches in progress publish at once. */
const MAX_WAITING_UPLOADS = 10_000;

class S3Store implements FileStore {
  readonly #limitUploads = limitConcurrency(MAX_PARALLEL_UPLOADS, MAX_WAITING_UPLOADS, () =>
    unavailableError(new Error('too many uploads are waiting')),
  );
  /** Checked once, because each write costs money and may create a version. */
  #canWrite = false;

  constructor(private readonly bucket: S3Bucket) {}

  async publish(files: Readonly<Record<string, Uint8Array>>): Promise<void> {
    const uploads = Object.entries(files).map(([name, bytes]) => this.#limitUploads(() => this.#put(name, bytes)));
    await Promise.allSettled(uploads);
    await Promise.all(uploads);
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    requireMediaType(name);
    return (await this.bucket.read(name))?.bytes;
  }

  async remove(name: string): Promise<void> {
    requireMediaType(name);
    await this.bucket.remove(name);
  }

  async *list(): AsyncGenerator<ListedFile[]> {
    const { prefix, limits } = this.bucket;
    for (let marker: string | undefined = ''; marker !== undefined; ) {
      // Names with a further slash after the prefix are not ours.
      const page = { delimiter: '/', marker, 'max-keys': String(limits.listPageSize), prefix };
      const { bytes } = await this.#requestList(page, limits.attemptMs);
      const text = Buffer.from(bytes).toString('utf8');
      yield parseListedFiles(text);
      marker = parseNextMarker(text);
    }
  }

  /** Sends a list request: a HEAD response has no body with the reason of an error. */
  async check(): Promise<void> {
    const { prefix, limits } = this.bucket;
    await this.#requestList({ 'max-keys': '1', prefix }, limits.checkMs);
    if (this.#canWrite) return;
    const probe = `${randomUUID()}.json`;
    await this.#put(probe, Buffer.from('{}'), limits.checkMs);
    await this.bucket.remove(probe, limits.checkMs);
    this.#canWrite = true;
  }

  async #put(name: string, body: Uint8Array, timeoutMs?: number): Promise<void> {
    const headers = { 'content-type': requireMediaType(name), 'cache-control': CACHE_CONTROL };
    this.bucket.requireSuccess(await this.bucket.put(name, body, headers, timeoutMs));
  }

  /** Version 1 of the operation, which every store has. */
  async #requestList(parameters: Readonly<Record<string, string>>, timeoutMs: number): Promise<S3Response> {
    const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const address = `${this.bucket.root}/?${query.join('&')}`;
    return this.bucket.requireSuccess(await this.bucket.send({ method: 'GET', address }, timeoutMs));
  }
}

const contentsElement = /<Contents>.*?<\/Contents>/gs;

/** Names without the common prefix. */
function parseListedFiles(listing: string): ListedFile[] {
  return (listing.match(contentsElement) ?? []).flatMap((entry) => {
    const name = /<Key>(?:[^<]*\/)?([^</]+)<\/Key>/.exec(entry)?.[1] ?? '';
    const modified = /<LastModified>([^<]+)<\/LastModified>/.exec(entry)?.[1] ?? '';
    return mediaTypeOf(name) === undefined ? [] : [{ name, modifiedAt: new Date(modified) }];
  });
}

/** The key after which the next page starts; undefined after the last page. */
function parseNextMarker(listing: string): string | undefined {
  if (!listing.includes('<IsTruncated>true</IsTruncated>')) return undefined;
  const next = /<NextMarker>([^<]+)<\/NextMarker>/.exec(listing)?.[1];
  const marker = next ?? [...listing.matchAll(/<Key>([^<]+)<\/Key>/g)].at(-1)?.[1];
  if (marker === undefined) throw unavailableError(new Error('the list has no marker for its next page'));
  return marker.replace(/&(#x?)?(\w+);/g, (_, numeric: string | undefined, name: string) =>
    numeric === undefined
      ? (xmlEntities[name] ?? '')
      : String.fromCodePoint(Number.parseInt(name, numeric === '#x' ? 16 : 10)),
  );
}

const xmlEntities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
