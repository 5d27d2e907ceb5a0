// The client: one method per API operation, whose type comes from the operation's declaration.

import type { api, Fingerprint, Operation, ResultOf } from '@provenance-registry/core';
import type { Static, TSchema } from 'typebox';
import { Calls, parseHttpUrl } from './calls.js';
import type { CallOptions, ClientOptions, DownloadOptions } from './clientOptions.js';
import { defaultEnvironment, type Environment } from './environment.js';
import { hasInput, type OperationId } from './operationRequest.js';
import { operations } from './operations.generated.js';
import type { Fields, FileContent } from './requests.js';
import { requireFile, requireSuccess } from './responses.js';
import { readSignedCopy, readSignedImage, type SignedCopy, type SignedImage } from './signedCopy.js';

export const SIDECAR_MEDIA_TYPE = 'application/c2pa';

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

export function createClientIn(environment: Environment, options: ClientOptions): RegistryClient {
  const calls = new Calls(environment, options);
  return { ...createOperationMethods(calls), ...createFileMethods(calls, options.credential !== undefined) };
}

function createFileMethods(calls: Calls, hasCredential: boolean): FileMethods {
  return {
    baseUrl: calls.baseUrl,
    hasCredential,
    manifestBytes: async (manifestId, { signal } = {}) => {
      const { url } = calls.buildPublicRequest('getManifest', { manifestId });
      const call = { operation: 'manifestBytes', isRepeatable: true, signal };
      return calls.fetchFile(url, SIDECAR_MEDIA_TYPE, call, (response) => requireSuccess('manifestBytes', response));
    },
    signImage: (input, callOptions = {}) =>
      calls.requestImage('signImage', 'createManifest', input, callOptions, readSignedImage),
    createSignedCopy: (input, callOptions = {}) =>
      calls.requestImage('createSignedCopy', 'createSignedCopy', input, callOptions, readSignedCopy),
    exportAccount: ({ signal } = {}) =>
      calls.fetchStream('exportAccount', calls.buildRequest('exportAccount', {}), signal),
    streamEvents: ({ organizationId, lastEventId } = {}, { signal } = {}) => {
      const { init, ...request } = calls.buildRequest('streamEvents', { organizationId });
      const headers = new Headers(init.headers);
      if (lastEventId !== undefined) headers.set('last-event-id', lastEventId);
      return calls.fetchStream('streamEvents', { ...request, init: { ...init, headers } }, signal);
    },
    getClaimEvidence: (input, callOptions) => calls.fetchBinary('getClaimEvidence', input, callOptions),
    getCertificate: (input, callOptions) => calls.fetchBinary('getCertificate', input, callOptions),
    download: async (url, { signal, accept = '*/*' } = {}) => {
      const call = { operation: 'download', isRepeatable: true, signal };
      return calls.fetchFile(parseHttpUrl(url), accept, call, (response) => requireFile(url, response));
    },
  };
}

/** Of all operations, also those that {@link createFileMethods} replaces. */
function createOperationMethods(calls: Calls): OperationMethods {
  // The table's type says that it has these names and no others.
  const ids = Object.keys(operations) as OperationId[];
  const methods = ids.map((id) => {
    const method = hasInput(operations[id])
      ? (input: Fields = {}, callOptions: CallOptions = {}) => calls.callOperation(id, input, callOptions)
      : (callOptions: CallOptions = {}) => calls.callOperation(id, {}, callOptions);
    return [id, method];
  });
  // Generated from the declarations that define the type; every response is validated against them.
  return Object.fromEntries(methods) as OperationMethods;
}
