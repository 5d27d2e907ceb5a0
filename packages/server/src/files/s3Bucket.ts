// Requests to a bucket of any S3-compatible store: signed, repeated when they fail, with an error that names the reason.

import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { RegistryError } from '@provenance-registry/core';
import { AwsClient } from 'aws4fetch';

export interface S3Location {
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

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly address: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface S3Response {
  readonly status: number;
  readonly etag: string | undefined;
  readonly bytes: Uint8Array;
}

/** The environment has the usual variables: AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID and so on. */
export function openS3Bucket(
  location: S3Location,
  environment: Readonly<Record<string, string | undefined>>,
  limits: Readonly<typeof defaultS3Limits>,
): S3Bucket {
  const region = environment['AWS_REGION'] || DEFAULT_REGION;
  const sessionToken = environment['AWS_SESSION_TOKEN'];
  const accessKeyId = environment['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY'];
  const client =
    accessKeyId && secretAccessKey
      ? new AwsClient({ service: 's3', region, accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) })
      : undefined;
  return new S3Bucket(
    client,
    bucketAddress(location.bucket, region, environment['AWS_ENDPOINT_URL']),
    location,
    limits,
  );
}

export class S3Bucket {
  /** Of all keys: empty, or with a trailing slash. */
  readonly prefix: string;

  constructor(
    private readonly client: AwsClient | undefined,
    /** The bucket's URL, without a trailing slash. */
    readonly root: string,
    private readonly location: S3Location,
    readonly limits: Readonly<typeof defaultS3Limits>,
  ) {
    this.prefix = location.prefix === '' ? '' : `${location.prefix}/`;
  }

  addressOf(name: string): string {
    return `${this.root}/${`${this.prefix}${name}`.split('/').map(encodeURIComponent).join('/')}`;
  }

  /** Undefined: there is no such file. */
  async read(name: string): Promise<S3Response | undefined> {
    const response = await this.send({ method: 'GET', address: this.addressOf(name) }, this.limits.attemptMs);
    if (isMissingFile(response)) return undefined;
    if (!isSuccess(response)) throw this.responseError(response);
    return response;
  }

  put(
    name: string,
    body: Uint8Array,
    headers: Readonly<Record<string, string>>,
    timeoutMs: number = this.limits.attemptMs,
  ): Promise<S3Response> {
    // Lets the store detect corrupted uploads.
    const hash = createHash('sha256').update(body).digest('hex');
    const allHeaders = { ...headers, 'x-amz-content-sha256': hash };
    return this.send({ method: 'PUT', address: this.addressOf(name), headers: allHeaders, body }, timeoutMs);
  }

  async remove(name: string, timeoutMs: number = this.limits.attemptMs): Promise<void> {
    const response = await this.send({ method: 'DELETE', address: this.addressOf(name) }, timeoutMs);
    if (!isSuccess(response) && !isMissingFile(response)) throw this.responseError(response);
  }

  requireSuccess(response: S3Response): S3Response {
    if (!isSuccess(response)) throw this.responseError(response);
    return response;
  }

  /** Retries transient failures; throws UNAVAILABLE if they persist. */
  async send(request: S3Request, timeoutMs: number): Promise<S3Response> {
    const { client } = this;
    if (!client) throw unavailableError(new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set'));
    for (let attempt = 1; ; attempt += 1) {
      const result = await attemptOnce(client, request, timeoutMs).catch((error: unknown) => ({ error }));
      if (!('error' in result) && !isTransient(result)) return result;
      if (attempt >= this.limits.attempts) {
        throw 'error' in result ? unavailableError(result.error) : this.responseError(result);
      }
      // With jitter, so that processes do not retry at the same time.
      await delay(this.limits.retryDelayMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
    }
  }

  responseError(response: S3Response): RegistryError {
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
  const etag = response.headers.get('etag') ?? undefined;
  return { status: response.status, etag, bytes: new Uint8Array(await response.arrayBuffer()) };
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

export function isSuccess({ status }: S3Response): boolean {
  return status >= 200 && status < 300;
}

function isTransient({ status }: S3Response): boolean {
  return status >= 500 || status === 429;
}

function isMissingFile(response: S3Response): boolean {
  return response.status === 404 && readErrorCode(response) !== 'NoSuchBucket';
}

function readErrorCode({ bytes }: S3Response): string | undefined {
  return /<Code>(\w+)<\/Code>/.exec(Buffer.from(bytes).toString('utf8'))?.[1];
}

export function unavailableError(cause: unknown): RegistryError {
  return new RegistryError('UNAVAILABLE', 'Published files are temporarily unavailable.', { cause });
}
