// The calls of a client: requests with their timeout, their repetitions and the check of their responses.

import type { CallOptions, ClientOptions } from './clientOptions.js';
import type { Environment } from './environment.js';
import { InvalidArgumentError, InvalidResponseError, ServiceUnreachableError } from './errors.js';
import { type HttpRequest, type HttpResponse, openStream, sendRequest } from './http.js';
import type { OperationId } from './operationRequest.js';
import { operations } from './operations.generated.js';
import { isDoneAlready } from './repetition.js';
import { buildRequest, type Fields } from './requests.js';
import { loadResultChecks, parseResult, requireMediaType, requireSuccess } from './responses.js';
import { DEFAULT_MAX_ATTEMPTS, retry } from './retry.js';
import { linkSignals } from './signals.js';

/** The service accepts images of up to 32 MiB; the embedded manifest adds to that. */
const MAX_IMAGE_BYTES = 48 * 1024 * 1024;
/** Published files are small images and manifests; a manifest with its ancestors may take some megabytes. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const DOWNLOAD_TIMEOUT_MS = 60_000;

interface Call {
  readonly operation: string;
  readonly isRepeatable: boolean;
  /** Repeat only what the service cannot have processed. */
  readonly onlyUnprocessed?: boolean;
  /** Added to the client's timeout. */
  readonly waitMs?: number;
  readonly signal: AbortSignal | undefined;
}

export class Calls {
  readonly baseUrl: string;
  readonly #environment: Environment;
  readonly #options: ClientOptions;

  constructor(environment: Environment, options: ClientOptions) {
    this.baseUrl = parseHttpUrl(options.baseUrl);
    this.#environment = environment;
    this.#options = options;
  }

  buildRequest(id: OperationId, input: Fields, idempotencyKey?: string) {
    const { credential } = this.#options;
    return buildRequest(id, input, { baseUrl: this.baseUrl, credential, createKey, idempotencyKey });
  }

  /** Builds a request without the credential, which public files do not need. */
  buildPublicRequest(id: OperationId, input: Fields) {
    return buildRequest(id, input, { baseUrl: this.baseUrl, createKey });
  }

  async #send<T>(
    call: Call,
    request: HttpRequest,
    read: (response: HttpResponse, attempt: number) => T | Promise<T>,
  ): Promise<T> {
    return this.#repeat(call, async (signal, attempt) =>
      read(await sendRequest(this.#environment, request, signal), attempt),
    );
  }

  async #repeat<T>(call: Call, run: (signal: AbortSignal, attempt: number) => Promise<T>): Promise<T> {
    const { operation, isRepeatable, onlyUnprocessed, waitMs = 0 } = call;
    const { signal, abort, release } = linkSignals(this.#options.signal, call.signal);
    const { timeoutMs = Number.POSITIVE_INFINITY, maxAttempts = DEFAULT_MAX_ATTEMPTS, onRetry } = this.#options;
    const limitMs = timeoutMs + waitMs;
    const failLate = () =>
      abort(new ServiceUnreachableError(`${operation} failed: no response within ${limitMs / 1000} s.`));
    const cancelTimeout =
      limitMs < Number.POSITIVE_INFINITY ? this.#environment.schedule(limitMs, failLate) : undefined;
    try {
      return await retry(
        (attempt) => run(signal, attempt),
        {
          operation,
          maxAttempts: isRepeatable ? maxAttempts : 1,
          onlyUnprocessed,
          deadline: this.#environment.now() + limitMs,
          signal,
          onRetry,
        },
        this.#environment,
      );
    } finally {
      cancelTimeout?.();
      release();
    }
  }

  async callOperation(id: OperationId, input: Fields, { signal, idempotencyKey }: CallOptions): Promise<unknown> {
    const { isRepeatable, waitMs, ...request } = this.buildRequest(id, input, idempotencyKey);
    // While the request is under way; a failure is reported when the response is there.
    loadResultChecks().catch(() => {});
    return this.#send({ operation: id, isRepeatable, waitMs, signal }, request, (response, attempt) =>
      isDoneAlready(id, attempt, response.status) ? undefined : parseResult(id, response),
    );
  }

  async fetchFile(url: string, accept: string, call: Call, check: (response: HttpResponse) => void | Promise<void>) {
    const init = { headers: { accept } };
    const request = { url, init, timeoutMs: DOWNLOAD_TIMEOUT_MS, maxResponseBytes: MAX_FILE_BYTES };
    return this.#send(call, request, async (response) => {
      await check(response);
      requireMediaType(accept, response);
      return response.body;
    });
  }

  /** The response of an operation that returns a file. */
  async fetchBinary(id: 'getCertificate' | 'getClaimEvidence', input: Fields, { signal }: CallOptions = {}) {
    const { url } = this.buildPublicRequest(id, input);
    const call = { operation: id, isRepeatable: true, signal };
    return this.fetchFile(url, operations[id].accept ?? '*/*', call, (response) => requireSuccess(id, response));
  }

  async fetchStream(operation: string, request: HttpRequest, signal: AbortSignal | undefined) {
    return this.#repeat({ operation, isRepeatable: true, signal }, async (callSignal) => {
      // The call ends when the response begins; the stream goes on under the signals of the caller.
      const response = await openStream(this.#environment, request, callSignal, this.#options.signal, signal);
      await requireSuccess(operation, response);
      if (!response.stream) throw new InvalidResponseError(`The response to ${operation} has no body.`);
      return response.stream;
    });
  }

  /** Each response is a signed copy, of which an Artifact has only a few: none may be lost by a blind repetition. */
  async requestImage<T>(
    name: string,
    id: OperationId,
    input: Fields,
    { signal, idempotencyKey }: CallOptions,
    read: (response: HttpResponse) => T | Promise<T>,
  ): Promise<T> {
    const { isRepeatable: _, waitMs, init, ...request } = this.buildRequest(id, input, idempotencyKey);
    const headers = new Headers(init.headers);
    headers.set('accept', 'image/*');
    return this.#send(
      { operation: name, isRepeatable: true, onlyUnprocessed: true, waitMs, signal },
      { ...request, init: { ...init, headers }, maxResponseBytes: MAX_IMAGE_BYTES },
      async (response) => {
        await requireSuccess(name, response);
        return read(response);
      },
    );
  }
}

/** Refuses `file:` and `data:` URLs, which a service could name. */
export function parseHttpUrl(text: string): string {
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
