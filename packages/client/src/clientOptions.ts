// The options of a client and of its calls.

import type { RetryEvent } from './retry.js';

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
