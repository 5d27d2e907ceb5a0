// Published files in a bucket of any S3-compatible store.

import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { RegistryError } from '@provenance-registry/core';
import { AwsClient } from 'aws4fetch';
import type { FileStore, ListedFile } from '../domain/ports/index.js';
import { CACHE_CONTROL, mediaTypeOf, requireMediaType } from './names.js';

interface S3Location {
  readonly bucket: string;
  /** Prepended to every name; without slashes at its ends, maybe empty. */
  readonly prefix: string;
}

export const defaultS3Limits = {
  /** Timeout of one attempt including the response: a file of some megabytes on a slow connection. */
  attemptMs: 10_000,
  /** Timeout of one attempt of a check: all attempts must fit into a request's 20 seconds. */
  checkMs: 3_000,
  /** After as many failures in a row, the store counts as unavailable. */
  attempts: 4,
  /** Delay before the second attempt; it doubles with each further one. */
  retryDelayMs: 200,
  /** Files per page of a list: the maximum of S3. */
  listPageSize: 1_000,
};

const DEFAULT_REGION = 'us-east-1';

interface S3Request {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly address: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

interface S3Response {
  readonly status: number;
  readonly bytes: Uint8Array;
}

/** The environment has the usual variables: AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID and so on. */
export function openS3Store(
  location: S3Location,
  environment: Readonly<Record<string, string | undefined>>,
  limits: Readonly<typeof defaultS3Limits> = defaultS3Limits,
): FileStore {
  const region = environment['AWS_REGION'] || DEFAULT_REGION;
  const sessionToken = environment['AWS_SESSION_TOKEN'];
  const accessKeyId = environment['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY'];
  const client =
    accessKeyId && secretAccessKey
      ? new AwsClient({ service: 's3', region, accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) })
      : undefined;
  return new S3Store(client, bucketAddress(location.bucket, region, environment['AWS_ENDPOINT_URL']), location, limits);
}

class S3Store implements FileStore {
  /** Empty, or with a trailing slash. */
  readonly #prefix: string;
  /** Checked once, because each write costs money and may create a version. */
  #canWrite = false;

  constructor(
    private readonly client: AwsClient | undefined,
    /** The bucket's URL, without a trailing slash. */
    private readonly root: string,
    private readonly location: S3Location,
    private readonly limits: Readonly<typeof defaultS3Limits>,
  ) {
    this.#prefix = location.prefix === '' ? '' : `${location.prefix}/`;
  }

  async publish(files: Readonly<Record<string, Uint8Array>>): Promise<void> {
    const uploads = Object.entries(files).map(([name, bytes]) => this.#put(name, bytes, this.limits.attemptMs));
    await Promise.allSettled(uploads);
    await Promise.all(uploads);
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const response = await this.#send({ method: 'GET', address: this.#addressOf(name) }, this.limits.attemptMs);
    if (isMissingFile(response)) return undefined;
    if (!isSuccess(response)) throw this.#responseError(response);
    return response.bytes;
  }

  remove(name: string): Promise<void> {
    return this.#remove(name, this.limits.attemptMs);
  }

  async *list(): AsyncGenerator<ListedFile[]> {
    const { attemptMs, listPageSize } = this.limits;
    for (let marker: string | undefined = ''; marker !== undefined; ) {
      // Names with a further slash after the prefix are not ours.
      const page = { delimiter: '/', marker, 'max-keys': String(listPageSize), prefix: this.#prefix };
      const { bytes } = await this.#requestList(page, attemptMs);
      const text = Buffer.from(bytes).toString('utf8');
      yield parseListedFiles(text);
      marker = parseNextMarker(text);
    }
  }

  /** Sends a list request: a HEAD response has no body with the reason of an error. */
  async check(): Promise<void> {
    const { checkMs } = this.limits;
    await this.#requestList({ 'max-keys': '1', prefix: this.#prefix }, checkMs);
    if (this.#canWrite) return;
    const probe = `${randomUUID()}.json`;
    await this.#put(probe, Buffer.from('{}'), checkMs);
    await this.#remove(probe, checkMs);
    this.#canWrite = true;
  }

  async #put(name: string, body: Uint8Array, timeoutMs: number): Promise<void> {
    const headers = {
      'content-type': requireMediaType(name),
      'cache-control': CACHE_CONTROL,
      // Lets the store detect corrupted uploads.
      'x-amz-content-sha256': createHash('sha256').update(body).digest('hex'),
    };
    await this.#sendSuccessfully({ method: 'PUT', address: this.#addressOf(name), headers, body }, timeoutMs);
  }

  async #remove(name: string, timeoutMs: number): Promise<void> {
    const response = await this.#send({ method: 'DELETE', address: this.#addressOf(name) }, timeoutMs);
    if (!isSuccess(response) && !isMissingFile(response)) throw this.#responseError(response);
  }

  /** Version 1 of the operation, which every store has. */
  #requestList(parameters: Readonly<Record<string, string>>, timeoutMs: number): Promise<S3Response> {
    const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    return this.#sendSuccessfully({ method: 'GET', address: `${this.root}/?${query.join('&')}` }, timeoutMs);
  }

  async #sendSuccessfully(request: S3Request, timeoutMs: number): Promise<S3Response> {
    const response = await this.#send(request, timeoutMs);
    if (!isSuccess(response)) throw this.#responseError(response);
    return response;
  }

  /** Retries transient failures; throws UNAVAILABLE if they persist. */
  async #send(request: S3Request, timeoutMs: number): Promise<S3Response> {
    const { client } = this;
    if (!client) throw unavailableError(new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set'));
    for (let attempt = 1; ; attempt += 1) {
      const result = await attemptOnce(client, request, timeoutMs).catch((error: unknown) => ({ error }));
      if (!('error' in result) && !isTransient(result)) return result;
      if (attempt >= this.limits.attempts) {
        throw 'error' in result ? unavailableError(result.error) : this.#responseError(result);
      }
      // With jitter, so that processes do not retry at the same time.
      await delay(this.limits.retryDelayMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
    }
  }

  #addressOf(name: string): string {
    requireMediaType(name);
    return `${this.root}/${this.#prefix.split('/').map(encodeURIComponent).join('/')}${name}`;
  }

  #responseError(response: S3Response): RegistryError {
    const reason = readErrorCode(response) ?? 'no reason given';
    const { bucket } = this.location;
    return unavailableError(
      new Error(`bucket "${bucket}": the store responded with status ${response.status} (${reason})`),
    );
  }
}

/** Signs each attempt, because a signature is valid for minutes only. */
async function attemptOnce(client: AwsClient, request: S3Request, attemptMs: number): Promise<S3Response> {
  const { method, address, headers, body } = request;
  const signed = await client.sign(address, { method, ...(headers && { headers }) });
  const response = await fetch(signed.url, {
    method,
    headers: signed.headers,
    // The signature is valid for this URL only.
    redirect: 'manual',
    signal: AbortSignal.timeout(attemptMs),
    ...(body && { body }),
  });
  return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) };
}

/** AWS has the bucket in the host name, except for names with dots, which its wildcard certificate does not cover. */
export function bucketAddress(bucket: string, region: string, endpoint: string | undefined): string {
  if (endpoint) {
    if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint)) {
      throw new Error('AWS_ENDPOINT_URL: not an http:// or https:// address');
    }
    return `${endpoint.replace(/\/+$/, '')}/${bucket}`;
  }
  const host = `s3.${region}.amazonaws.com`;
  return bucket.includes('.') ? `https://${host}/${bucket}` : `https://${bucket}.${host}`;
}

function isSuccess({ status }: S3Response): boolean {
  return status >= 200 && status < 300;
}

function isTransient({ status }: S3Response): boolean {
  return status >= 500 || status === 429;
}

function isMissingFile(response: S3Response): boolean {
  return response.status === 404 && readErrorCode(response) !== 'NoSuchBucket';
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

function readErrorCode({ bytes }: S3Response): string | undefined {
  return /<Code>(\w+)<\/Code>/.exec(Buffer.from(bytes).toString('utf8'))?.[1];
}

function unavailableError(cause: unknown): RegistryError {
  return new RegistryError('UNAVAILABLE', 'Published files are temporarily unavailable.', { cause });
}
