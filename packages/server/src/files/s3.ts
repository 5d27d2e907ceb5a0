// Published files in a bucket of any S3-compatible store.

import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { RegistryError } from '@provenance-registry/core';
import { AwsClient } from 'aws4fetch';
import type { FileStore, ListedFile } from '../domain/ports/index.js';
import { CACHE_CONTROL, mediaTypeOf, requireMediaType } from './names.js';

export interface S3Place {
  readonly bucket: string;
  /** Stands before every name, without slashes at its ends; empty for none. */
  readonly prefix: string;
}

export interface S3Limits {
  /** For one attempt, answer included: a file of some megabytes on a slow line. */
  readonly attemptMs: number;
  /** For one attempt of a check: all attempts at a store that is away must fit into a request's 20 seconds. */
  readonly checkMs: number;
  /** A store that fails this often in a row is away, not busy; the caller may come back later. */
  readonly attempts: number;
  /** Before the second attempt, and twice as long before each one after it, so that a busy store gets room. */
  readonly pauseMs: number;
  /** Files in one part of a list: stores give no more at once. */
  readonly listed: number;
}

export const defaultS3Limits: S3Limits = {
  attemptMs: 10_000,
  checkMs: 3_000,
  attempts: 4,
  pauseMs: 200,
  listed: 1_000,
};

const DEFAULT_REGION = 'us-east-1';

type Environment = Readonly<Record<string, string | undefined>>;

interface S3Request {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly address: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

interface S3Answer {
  readonly status: number;
  readonly bytes: Uint8Array;
}

/** The environment has the usual variables: AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID and so on. */
export function openS3Store(place: S3Place, environment: Environment, limits: S3Limits = defaultS3Limits): FileStore {
  return new S3Store(place, environment, limits);
}

class S3Store implements FileStore {
  readonly #bucket: string;
  /** The bucket's address, without a slash at its end. */
  readonly #root: string;
  /** Before a name: empty, or with a slash at its end. */
  readonly #prefix: string;
  readonly #client: AwsClient | undefined;
  readonly #limits: S3Limits;
  /** Found out once, because every write costs money and may leave a version behind. */
  #mayWrite = false;

  constructor({ bucket, prefix }: S3Place, environment: Environment, limits: S3Limits) {
    const region = environment['AWS_REGION'] || DEFAULT_REGION;
    const sessionToken = environment['AWS_SESSION_TOKEN'];
    const accessKeyId = environment['AWS_ACCESS_KEY_ID'];
    const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY'];
    this.#bucket = bucket;
    this.#root = bucketAddress(bucket, region, environment['AWS_ENDPOINT_URL']);
    this.#prefix = prefix === '' ? '' : `${prefix}/`;
    this.#limits = limits;
    this.#client =
      accessKeyId && secretAccessKey
        ? new AwsClient({ service: 's3', region, accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) })
        : undefined;
  }

  async publish(files: Readonly<Record<string, Uint8Array>>): Promise<void> {
    const putting = Object.entries(files).map(([name, bytes]) => this.#put(name, bytes, this.#limits.attemptMs));
    await Promise.allSettled(putting);
    await Promise.all(putting);
  }

  async #put(name: string, bytes: Uint8Array, attemptMs: number): Promise<void> {
    const type = requireMediaType(name);
    const headers = {
      'content-type': type,
      'cache-control': CACHE_CONTROL,
      // With it the store refuses what was changed on the way.
      'x-amz-content-sha256': createHash('sha256').update(bytes).digest('hex'),
    };
    const answer = await this.#send({ method: 'PUT', address: this.#addressOf(name), headers, body: bytes }, attemptMs);
    if (!succeeded(answer)) throw this.#refused(answer);
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const answer = await this.#send({ method: 'GET', address: this.#addressOf(name) }, this.#limits.attemptMs);
    if (isMissingFile(answer)) return undefined;
    if (!succeeded(answer)) throw this.#refused(answer);
    return answer.bytes;
  }

  remove(name: string): Promise<void> {
    return this.#delete(name, this.#limits.attemptMs);
  }

  async #delete(name: string, attemptMs: number): Promise<void> {
    const answer = await this.#send({ method: 'DELETE', address: this.#addressOf(name) }, attemptMs);
    if (!succeeded(answer) && !isMissingFile(answer)) throw this.#refused(answer);
  }

  /** By the first version of the operation, in which each part begins after a key: every store has it. */
  async *list(): AsyncGenerator<ListedFile[]> {
    for (let marker: string | undefined = ''; marker !== undefined; ) {
      // What has another slash after the prefix is somebody else's.
      const query: string = Object.entries({
        delimiter: '/',
        marker,
        'max-keys': String(this.#limits.listed),
        prefix: this.#prefix,
      })
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
        .join('&');
      const answer = await this.#send({ method: 'GET', address: `${this.#root}/?${query}` }, this.#limits.attemptMs);
      if (!succeeded(answer)) throw this.#refused(answer);
      const text = Buffer.from(answer.bytes).toString('utf8');
      yield filesIn(text);
      marker = markerIn(text);
    }
  }

  /** Lists rather than asks for the headers alone: only an answer with a body says why it is refused. */
  async check(): Promise<void> {
    const { checkMs } = this.#limits;
    const query = `max-keys=1&prefix=${encodeURIComponent(this.#prefix)}`;
    const answer = await this.#send({ method: 'GET', address: `${this.#root}/?${query}` }, checkMs);
    if (!succeeded(answer)) throw this.#refused(answer);

    if (this.#mayWrite) return;
    const probe = `${randomUUID()}.json`;
    await this.#put(probe, Buffer.from('{}'), checkMs);
    await this.#delete(probe, checkMs);
    this.#mayWrite = true;
  }

  #addressOf(name: string): string {
    requireMediaType(name);
    return `${this.#root}/${this.#prefix.split('/').map(encodeURIComponent).join('/')}${name}`;
  }

  /** The store's answer, whatever it is; throws UNAVAILABLE when there is none that will stay. */
  async #send(request: S3Request, attemptMs: number): Promise<S3Answer> {
    const client = this.#client;
    if (!client) throw unavailable(new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set'));
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await attemptOnce(client, request, attemptMs).catch((fault: unknown) => ({ fault }));
      if (!('fault' in outcome) && !mayPass(outcome)) return outcome;
      if (attempt >= this.#limits.attempts) {
        throw 'fault' in outcome ? unavailable(outcome.fault) : this.#refused(outcome);
      }
      // Of random length, so that processes that failed together do not come back together.
      await delay(this.#limits.pauseMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
    }
  }

  #refused(answer: S3Answer): RegistryError {
    const reason = errorCodeOf(answer) ?? 'no reason given';
    return unavailable(new Error(`bucket "${this.#bucket}": the store answers ${answer.status} (${reason})`));
  }
}

/** Signed anew for each attempt: a signature is valid for minutes only. */
async function attemptOnce(client: AwsClient, request: S3Request, attemptMs: number): Promise<S3Answer> {
  const { method, address, headers, body } = request;
  const signed = await client.sign(address, { method, ...(headers && { headers }) });
  const response = await fetch(signed.url, {
    method,
    headers: signed.headers,
    // The signature is for this address alone.
    redirect: 'manual',
    signal: AbortSignal.timeout(attemptMs),
    ...(body && { body }),
  });
  return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) };
}

/** AWS puts the bucket into the host's name; others, and names that a wildcard certificate does not cover, cannot. */
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

function succeeded({ status }: S3Answer): boolean {
  return status >= 200 && status < 300;
}

/** A fault of the store's own, or too many requests: the same request may succeed in a moment. */
function mayPass({ status }: S3Answer): boolean {
  return status >= 500 || status === 429;
}

function isMissingFile(answer: S3Answer): boolean {
  return answer.status === 404 && errorCodeOf(answer) !== 'NoSuchBucket';
}

const listedForm = /<Contents>.*?<\/Contents>/gs;

/** By their names after the last slash: the prefix is the same for all. */
function filesIn(listing: string): ListedFile[] {
  return (listing.match(listedForm) ?? []).flatMap((entry) => {
    const name = /<Key>(?:[^<]*\/)?([^</]+)<\/Key>/.exec(entry)?.[1] ?? '';
    const modified = /<LastModified>([^<]+)<\/LastModified>/.exec(entry)?.[1] ?? '';
    return mediaTypeOf(name) === undefined ? [] : [{ name, modifiedAt: new Date(modified) }];
  });
}

/** After which key the next part of a listing begins; undefined after the last one. */
function markerIn(listing: string): string | undefined {
  if (!listing.includes('<IsTruncated>true</IsTruncated>')) return undefined;
  const next = /<NextMarker>([^<]+)<\/NextMarker>/.exec(listing)?.[1];
  const marker = next ?? [...listing.matchAll(/<Key>([^<]+)<\/Key>/g)].at(-1)?.[1];
  if (marker === undefined) throw unavailable(new Error('the store does not say where its list goes on'));
  return marker.replace(/&(#x?)?(\w+);/g, (_, numeric: string | undefined, name: string) =>
    numeric === undefined
      ? (xmlSigns[name] ?? '')
      : String.fromCodePoint(Number.parseInt(name, numeric === '#x' ? 16 : 10)),
  );
}

const xmlSigns: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function errorCodeOf({ bytes }: S3Answer): string | undefined {
  return /<Code>(\w+)<\/Code>/.exec(Buffer.from(bytes).toString('utf8'))?.[1];
}

function unavailable(cause: unknown): RegistryError {
  return new RegistryError('UNAVAILABLE', 'Published files cannot be reached right now.', { cause });
}
