// The client: one method per API operation, generated from the operations' declarations.

import { api, type Fingerprint, type Operation, type ResultOf } from '@provenance-registry/core';
import type { Static, TSchema } from 'typebox';
import { defaultEnvironment, type Environment } from './environment.js';
import { InvalidArgumentError, InvalidResponseError, ServiceUnreachableError } from './errors.js';
import { type HttpRequest, type HttpResponse, openStream, sendRequest } from './http.js';
import { isDoneAlready } from './repetition.js';
import { buildRequest, type Fields, type FileContent } from './requests.js';
import { parseResult, requireFile, requireMediaType, requireSuccess } from './responses.js';
import { DEFAULT_MAX_ATTEMPTS, type RetryEvent, retry } from './retry.js';
import { linkSignals } from './signals.js';
import { readSignedCopy, readSignedImage, type SignedCopy, type SignedImage } from './signedCopy.js';

/** The service accepts images of up to 32 MiB; the embedded manifest adds to that. */
const MAX_IMAGE_BYTES = 48 * 1024 * 1024;
/** Published files are small images and manifests; a manifest with its ancestors may take some megabytes. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const DOWNLOAD_TIMEOUT_MS = 60_000;
export const SIDECAR_MEDIA_TYPE = 'application/c2pa';

/**
 * Options of {@link createClient}.
 * @example
 * ```ts
 * const options: ClientOptions = { baseUrl: 'http://127.0.0.1:8080', credential: process.env.PROVENANCE_TOKEN };
 * ```
 */
export interface ClientOptions {
  /** The URL of the service. */
  readonly baseUrl: string;
  /** A user token or an API key. Without one, only public calls succeed. */
  readonly credential?: string | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /**
   * The longest time of a call with all its attempts. Default: no limit in total; each attempt ends after 30 s, downloads
   * and log-ins after about a minute, uploads after 15 minutes.
   */
  readonly timeoutMs?: number | undefined;
  /** How often a request is sent at most when the service cannot be reached or responds with 5xx. Default: 5. */
  readonly maxAttempts?: number | undefined;
  /** Called before each retry. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
  /** Aborts all calls of this client. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Options of a single call.
 * @example
 * ```ts
 * const options: CallOptions = { signal: AbortSignal.timeout(5_000) };
 * const me = await client.getMe(options);
 * ```
 */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Idempotency key of creations. Default: a random key, the same for all attempts of the call. */
  readonly idempotencyKey?: string | undefined;
}

/**
 * Options of `client.download`.
 * @example
 * ```ts
 * const options: DownloadOptions = { accept: 'application/c2pa' };
 * const manifest = await client.download(manifestBinaryUrl, options);
 * ```
 */
export interface DownloadOptions extends CallOptions {
  /** The media type that the file must have. Default: any except web pages, which are never published files. */
  readonly accept?: string | undefined;
}

/** Blobs are read while they are sent: in Node, `fs.openAsBlob` opens a file of any size. */
type FormFile = Blob | Uint8Array<ArrayBuffer>;
type Part<O, K extends string> = O extends Record<K, infer S extends TSchema> ? Static<S> : unknown;
type FormOf<O> = O extends { multipart: infer S extends TSchema }
  ? Omit<Static<S>, 'file'> & { file: FormFile }
  : never;
type BodyOf<O> = O extends { acceptsRawFile: true } ? { file: FileContent } : Part<O, 'body'> | FormOf<O>;
/** Optional fields may also be undefined. */
type Lenient<T> = {
  readonly [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : LenientItems<T[K]>;
};
type LenientItems<T> = T extends readonly (infer Item extends object)[] ? readonly Lenient<Item>[] : T;

/**
 * The input of a call: path parameters, query and body in one object.
 * @example
 * ```ts
 * import type { api } from '@provenance-registry/core';
 *
 * const input: InputOf<typeof api.createMark> = { name: 'Ada Lovelace', license: 'CC-BY-4.0' };
 * ```
 */
export type InputOf<O> = Lenient<Part<O, 'params'> & Part<O, 'query'> & BodyOf<O>>;

type Method<O extends Operation> = unknown extends Part<O, 'params'> & Part<O, 'query'> & BodyOf<O>
  ? (options?: CallOptions) => Promise<ResultOf<O>>
  : object extends InputOf<O>
    ? (input?: InputOf<O>, options?: CallOptions) => Promise<ResultOf<O>>
    : (input: InputOf<O>, options?: CallOptions) => Promise<ResultOf<O>>;

/** {@link FileMethods} has the operations whose responses are files. */
type OperationMethods = {
  readonly [K in Exclude<
    keyof typeof api,
    'createSignedCopy' | 'exportAccount' | 'getCertificate' | 'getClaimEvidence' | 'streamEvents'
  >]: Method<(typeof api)[K]>;
};

/**
 * The methods of a client that transfer files.
 * @example
 * ```ts
 * const save = async (client: Pick<FileMethods, 'manifestBytes'>, manifestId: string) =>
 *   writeFile(`${manifestId}.c2pa`, await client.manifestBytes(manifestId));
 * ```
 */
export interface FileMethods {
  readonly baseUrl: string;
  readonly hasCredential: boolean;
  /** Downloads the signed manifest. */
  manifestBytes(manifestId: string, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Registers an image and returns it with its manifest embedded. The image is sent, and not stored. The signed copy takes
   * one of the few that an Artifact can have, also when the response is lost: the request is repeated only while no
   * connection can be made.
   */
  signImage(input: ImageInput, options?: CallOptions): Promise<SignedImage>;
  /**
   * Returns a registered image with a manifest embedded. As with `signImage`, the image is sent and not stored, and a lost
   * response takes one of the copies that the Artifact can have.
   */
  createSignedCopy(
    input: { readonly fingerprint: Fingerprint } & Pick<ImageInput, 'file'>,
    options?: Omit<CallOptions, 'idempotencyKey'>,
  ): Promise<SignedCopy>;
  /**
   * The account and everything that belongs to it, as JSON of any size, while it arrives: `AccountExport` in the API's
   * reference. The stream fails when the connection is lost before its end.
   */
  exportAccount(options?: Omit<CallOptions, 'idempotencyKey'>): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  /** The time-stamp token or the manifest that a claim rests on, byte for byte. */
  getClaimEvidence(
    input: { readonly claimId: string },
    options?: Omit<CallOptions, 'idempotencyKey'>,
  ): Promise<Uint8Array<ArrayBuffer>>;
  /** The certificate of a registration: a signed PDF, made for this call. */
  getCertificate(
    input: { readonly fingerprint: Fingerprint },
    options?: Omit<CallOptions, 'idempotencyKey'>,
  ): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * The feed of events as server-sent events, while it arrives: from `lastEventId` on, or from now on. `followEvents` reads
   * them, and connects again when the stream ends.
   */
  streamEvents(
    input?: { readonly organizationId?: string | undefined; readonly lastEventId?: string | undefined },
    options?: Omit<CallOptions, 'idempotencyKey'>,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
  /** Downloads a published file. */
  download(url: string, options?: DownloadOptions): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * A client of the registry: a method for each API operation, and those of {@link FileMethods}.
 * @example
 * ```ts
 * async function listMarkNames(client: RegistryClient): Promise<string[]> {
 *   return (await client.listMarks()).map(({ name }) => name);
 * }
 * ```
 */
export type RegistryClient = OperationMethods & FileMethods;

export type ImageInput = Lenient<FormOf<typeof api.createManifest>>;

/**
 * Creates a client. Nothing is sent until the first call.
 * @throws InvalidArgumentError when `baseUrl` is not an http or https URL.
 * @example
 * ```ts
 * const client = createClient({ baseUrl: 'http://127.0.0.1:8080', credential: token });
 * const marks = await client.listMarks();
 * ```
 */
export function createClient(options: ClientOptions): RegistryClient {
  return createClientIn({ ...defaultEnvironment, ...(options.fetch && { fetch: options.fetch }) }, options);
}

interface Call {
  readonly operation: string;
  readonly isRepeatable: boolean;
  /** Repeat only what the service cannot have processed. */
  readonly onlyUnprocessed?: boolean;
  /** Added to the client's timeout. */
  readonly waitMs?: number;
  readonly signal: AbortSignal | undefined;
}

export function createClientIn(environment: Environment, options: ClientOptions): RegistryClient {
  const baseUrl = parseHttpUrl(options.baseUrl);
  const { credential, onRetry, timeoutMs = Number.POSITIVE_INFINITY, maxAttempts = DEFAULT_MAX_ATTEMPTS } = options;

  async function send<T>(
    call: Call,
    request: HttpRequest,
    read: (response: HttpResponse, attempt: number) => T,
  ): Promise<T> {
    return repeat(call, async (signal, attempt) => read(await sendRequest(environment, request, signal), attempt));
  }

  async function repeat<T>(call: Call, run: (signal: AbortSignal, attempt: number) => Promise<T>): Promise<T> {
    const { operation, isRepeatable, onlyUnprocessed, waitMs = 0 } = call;
    const { signal, abort, release } = linkSignals(options.signal, call.signal);
    const limitMs = timeoutMs + waitMs;
    const failLate = () =>
      abort(new ServiceUnreachableError(`${operation} failed: no response within ${limitMs / 1000} s.`));
    const cancelTimeout = limitMs < Number.POSITIVE_INFINITY ? environment.schedule(limitMs, failLate) : undefined;
    try {
      return await retry(
        (attempt) => run(signal, attempt),
        {
          operation,
          maxAttempts: isRepeatable ? maxAttempts : 1,
          onlyUnprocessed,
          deadline: environment.now() + limitMs,
          signal,
          onRetry,
        },
        environment,
      );
    } finally {
      cancelTimeout?.();
      release();
    }
  }

  async function callOperation(
    operation: Operation,
    input: Fields,
    { signal, idempotencyKey }: CallOptions,
  ): Promise<unknown> {
    const context = { baseUrl, credential, createKey, idempotencyKey };
    const { isRepeatable, waitMs, ...request } = buildRequest(operation, input, context);
    const call = { operation: operation.id, isRepeatable, waitMs, signal };
    return send(call, request, (response, attempt) => {
      return isDoneAlready(operation, attempt, response.status) ? undefined : parseResult(operation, response);
    });
  }

  async function fetchFile(url: string, accept: string, call: Call, check: (response: HttpResponse) => void) {
    const init = { headers: { accept } };
    const request = { url, init, timeoutMs: DOWNLOAD_TIMEOUT_MS, maxResponseBytes: MAX_FILE_BYTES };
    return send(call, request, (response) => {
      check(response);
      requireMediaType(accept, response);
      return response.body;
    });
  }

  /** The response of an operation that returns a file. */
  async function fetchBinary(
    operation: typeof api.getCertificate | typeof api.getClaimEvidence,
    input: Fields,
    { signal }: CallOptions = {},
  ) {
    const { id, success } = operation;
    const { url } = buildRequest(operation, input, { baseUrl, createKey });
    const call = { operation: id, isRepeatable: true, signal };
    return fetchFile(url, success.mediaType, call, (response) => requireSuccess(id, response));
  }

  async function fetchStream(operation: string, request: HttpRequest, signal: AbortSignal | undefined) {
    return repeat({ operation, isRepeatable: true, signal }, async (callSignal) => {
      // The call ends when the response begins; the stream goes on under the signals of the caller.
      const response = await openStream(environment, request, callSignal, options.signal, signal);
      requireSuccess(operation, response);
      if (!response.stream) throw new InvalidResponseError(`The response to ${operation} has no body.`);
      return response.stream;
    });
  }

  /** Each response is a signed copy, of which an Artifact has only a few: none may be lost by a blind repetition. */
  async function requestImage<T>(
    name: string,
    operation: Operation,
    input: Fields,
    { signal, idempotencyKey }: CallOptions,
    read: (response: HttpResponse) => T,
  ): Promise<T> {
    const context = { baseUrl, credential, createKey, idempotencyKey };
    const { isRepeatable: _, waitMs, init, ...request } = buildRequest(operation, input, context);
    const headers = new Headers(init.headers);
    headers.set('accept', 'image/*');
    return send(
      { operation: name, isRepeatable: true, onlyUnprocessed: true, waitMs, signal },
      { ...request, init: { ...init, headers }, maxResponseBytes: MAX_IMAGE_BYTES },
      (response) => {
        requireSuccess(name, response);
        return read(response);
      },
    );
  }

  const fileMethods: FileMethods = {
    baseUrl,
    hasCredential: credential !== undefined,
    manifestBytes: async (manifestId, { signal } = {}) => {
      const { url } = buildRequest(api.getManifest, { manifestId }, { baseUrl, createKey });
      const call = { operation: 'manifestBytes', isRepeatable: true, signal };
      return fetchFile(url, SIDECAR_MEDIA_TYPE, call, (response) => requireSuccess('manifestBytes', response));
    },
    signImage: (input, callOptions = {}) =>
      requestImage('signImage', api.createManifest, input, callOptions, readSignedImage),
    createSignedCopy: (input, callOptions = {}) =>
      requestImage('createSignedCopy', api.createSignedCopy, input, callOptions, readSignedCopy),
    exportAccount: ({ signal } = {}) =>
      fetchStream('exportAccount', buildRequest(api.exportAccount, {}, { baseUrl, credential, createKey }), signal),
    streamEvents: ({ organizationId, lastEventId } = {}, { signal } = {}) => {
      const { init, ...request } = buildRequest(
        api.streamEvents,
        { organizationId },
        { baseUrl, credential, createKey },
      );
      const headers = new Headers(init.headers);
      if (lastEventId !== undefined) headers.set('last-event-id', lastEventId);
      return fetchStream('streamEvents', { ...request, init: { ...init, headers } }, signal);
    },
    getClaimEvidence: (input, callOptions) => fetchBinary(api.getClaimEvidence, input, callOptions),
    getCertificate: (input, callOptions) => fetchBinary(api.getCertificate, input, callOptions),
    download: async (url, { signal, accept = '*/*' } = {}) => {
      const call = { operation: 'download', isRepeatable: true, signal };
      return fetchFile(parseHttpUrl(url), accept, call, (response) => requireFile(url, response));
    },
  };
  const {
    createSignedCopy: _,
    exportAccount: _export,
    getCertificate: _certificate,
    getClaimEvidence: _evidence,
    streamEvents: _events,
    ...operations
  } = api;
  const operationMethods = Object.values(operations).map((operation: Operation) => {
    const hasInput = operation.params || operation.query || operation.body || operation.multipart;
    const method = hasInput
      ? (input: Fields = {}, callOptions: CallOptions = {}) => callOperation(operation, input, callOptions)
      : (callOptions: CallOptions = {}) => callOperation(operation, {}, callOptions);
    return [operation.id, method];
  });
  // Generated from the declarations that define the type; every response is validated against them.
  return { ...fileMethods, ...(Object.fromEntries(operationMethods) as OperationMethods) };
}

/** Refuses `file:` and `data:` URLs, which a service could name. */
function parseHttpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new InvalidArgumentError(`${text} is not an http or https URL.`);
  }
  return url.href.replace(/\/+$/, '');
}

/** crypto.randomUUID is missing on pages that were loaded over plain HTTP. */
function createKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
