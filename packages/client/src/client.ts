// The client: one method for each operation of the API, made from the operations themselves.

import { api, type Operation, type ResultOf } from '@provenance-registry/core';
import type { Static, TSchema } from 'typebox';
import { requireFile, requireSuccess, resultOf } from './answers.js';
import { type Surroundings, world } from './environment.js';
import { exchange, type Received, type Sent } from './exchange.js';
import { type Content, type Fields, prepare } from './requests.js';
import { MAX_ATTEMPTS, persist, type RetryEvent } from './retries.js';
import { follow } from './signals.js';

/** The service takes images of up to 64 MiB, and a manifest comes into them. */
const MAX_IMAGE_BYTES = 80 * 1024 * 1024;
/** A published file is a manifest or a small picture; a manifest with its ancestors may have some megabytes. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const DOWNLOAD_MS = 60_000;
export const SIDECAR = 'application/c2pa';

export interface ClientOptions {
  /** Of the service. */
  readonly baseUrl: string;
  /** A user's token or an API key. */
  readonly credential?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
  /** Ends every call of this client. */
  readonly signal?: AbortSignal | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** For creations; without one they get a key of their own, the same for all attempts. */
  readonly idempotencyKey?: string | undefined;
}

export interface DownloadOptions extends CallOptions {
  /** The media type that is wanted, where there are several. */
  readonly accept?: string | undefined;
}

type Part<O, K extends string> = O extends Record<K, infer S extends TSchema> ? Static<S> : unknown;
type FormOf<O> = O extends { multipart: infer S extends TSchema } ? Omit<Static<S>, 'file'> & { file: Blob } : never;
type SentBody<O> = O extends { acceptsRawFile: true } ? { file: Content } : Part<O, 'body'> | FormOf<O>;
/** A field that may be left out may also be undefined. */
type Lenient<T> = { readonly [K in keyof T]: object extends Pick<T, K> ? T[K] | undefined : T[K] };
/** Path parameters, query and body in one. */
export type InputOf<O> = Lenient<Part<O, 'params'> & Part<O, 'query'> & SentBody<O>>;

type Method<O extends Operation> = unknown extends Part<O, 'params'> & Part<O, 'query'> & SentBody<O>
  ? (options?: CallOptions) => Promise<ResultOf<O>>
  : object extends InputOf<O>
    ? (input?: InputOf<O>, options?: CallOptions) => Promise<ResultOf<O>>
    : (input: InputOf<O>, options?: CallOptions) => Promise<ResultOf<O>>;

type Methods = { readonly [K in keyof typeof api]: Method<(typeof api)[K]> };

interface Own {
  readonly baseUrl: string;
  readonly hasCredential: boolean;
  /** The signed manifest itself. */
  manifestBytes(manifestId: string, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Registers an image and gives it back with its manifest inside, or `image: undefined` when its kind cannot hold one: it is
   * registered all the same.
   */
  signImage(input: ImageInput, options?: CallOptions): Promise<SignedImage>;
  /** A published file. */
  download(url: string, options?: DownloadOptions): Promise<Uint8Array<ArrayBuffer>>;
}

export type RegistryClient = Methods & Own;

type ImageInput = Lenient<FormOf<typeof api.createManifest>>;

export interface SignedImage {
  readonly image: Uint8Array<ArrayBuffer> | undefined;
  readonly mediaType: string | undefined;
}

export function createClient(options: ClientOptions): RegistryClient {
  return createClientIn({ ...world, ...(options.fetch && { fetch: options.fetch }) }, options);
}

/** For tests, which bring their own surroundings. */
export function createClientIn(surroundings: Surroundings, options: ClientOptions): RegistryClient {
  const baseUrl = addressOf(options.baseUrl);
  const { credential } = options;

  async function send<T>(what: Call, sent: Sent, read: (answer: Received, attempt: number) => T): Promise<T> {
    const { signal, release } = follow(options.signal, what.signal);
    try {
      return await persist(
        async (attempt) => read(await exchange(surroundings, sent, signal), attempt),
        { ...what, signal, onRetry: options.onRetry },
        surroundings,
      );
    } finally {
      release();
    }
  }

  async function call(operation: Operation, input: Fields, { signal, idempotencyKey }: CallOptions): Promise<unknown> {
    const { isRepeatable, ...sent } = prepare(operation, input, { baseUrl, credential, newKey, idempotencyKey });
    return send(
      { operation: operation.id, attempts: isRepeatable ? MAX_ATTEMPTS : 1, signal },
      sent,
      (answer, attempt) => {
        // An attempt whose answer was lost may have removed it: gone is what was asked for.
        if (operation.method === 'DELETE' && attempt > 1 && answer.status === 404) return undefined;
        return resultOf(operation, answer);
      },
    );
  }

  async function file(url: string, accept: string, what: Call, check: (answer: Received) => void) {
    const sent = { url, init: { headers: { accept } }, timeMs: DOWNLOAD_MS, maxBytes: MAX_FILE_BYTES };
    return send(what, sent, (answer) => {
      check(answer);
      return answer.body;
    });
  }

  const own: Own = {
    baseUrl,
    hasCredential: credential !== undefined,
    manifestBytes: async (manifestId, { signal } = {}) => {
      const { url } = prepare(api.getManifest, { manifestId }, { baseUrl, newKey });
      const what = { operation: 'manifestBytes', attempts: MAX_ATTEMPTS, signal };
      return file(url, SIDECAR, what, (answer) => requireSuccess('manifestBytes', answer));
    },
    signImage: async (input, { signal, idempotencyKey } = {}) => {
      const operation = api.createManifest;
      const { isRepeatable, init, ...sent } = prepare(operation, input, {
        baseUrl,
        credential,
        newKey,
        idempotencyKey,
      });
      const headers = new Headers(init.headers);
      headers.set('accept', 'image/*');
      return send(
        { operation: 'signImage', attempts: isRepeatable ? MAX_ATTEMPTS : 1, signal },
        { ...sent, init: { ...init, headers }, maxBytes: MAX_IMAGE_BYTES },
        (answer) => {
          requireSuccess('signImage', answer);
          const mediaType = answer.headers.get('content-type')?.split(';', 1)[0];
          if (mediaType?.startsWith('image/')) return { image: answer.body, mediaType };
          resultOf(operation, answer);
          return { image: undefined, mediaType: undefined };
        },
      );
    },
    download: async (url, { signal, accept = '*/*' } = {}) => {
      const what = { operation: 'download', attempts: MAX_ATTEMPTS, signal };
      return file(addressOf(url), accept, what, (answer) => requireFile(url, answer));
    },
  };
  const methods = Object.values(api).map((operation: Operation) => {
    const takesInput = operation.params || operation.query || operation.body || operation.multipart;
    const method = takesInput
      ? (input: Fields = {}, how: CallOptions = {}) => call(operation, input, how)
      : (how: CallOptions = {}) => call(operation, {}, how);
    return [operation.id, method];
  });
  // Made from the same declarations as the type, and every answer is checked by them.
  return { ...own, ...(Object.fromEntries(methods) as Methods) };
}

interface Call {
  readonly operation: string;
  readonly attempts: number;
  readonly signal: AbortSignal | undefined;
}

/** Only the web: what a service names may not be a file or a piece of data. */
function addressOf(text: string): string {
  const { protocol, href } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError(`${text} is not an address of the web.`);
  return href.replace(/\/+$/, '');
}

/** Not crypto.randomUUID, which pages that came over plain HTTP do not have. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
