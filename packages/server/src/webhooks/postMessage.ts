// Sends one signed message to the receiver of a webhook.

import type { WebhookMessage } from '../domain/ports/index.js';
import { OutboundError } from '../outbound/outboundError.js';
import { signedHeaders } from './signature.js';
import type { TargetConnection } from './targets.js';

export interface PostResult {
  /** Of the response; null if there was none. */
  readonly status: number | null;
  /** Null: the status is from 200 to 299. */
  readonly error: string | null;
  /** The start of the response's body. */
  readonly text: string;
}

/** @param bodyMs for the body of the response, if it matters */
export function postMessage(
  connection: TargetConnection,
  message: WebhookMessage,
  { at, stop, bodyMs }: { readonly at: Date; readonly stop: AbortSignal; readonly bodyMs?: number },
): Promise<PostResult> {
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(message.body),
    ...signedHeaders(message, at),
  };
  return connection.send(headers, message.body, stop, bodyMs).then(toResult, toFailure);
}

function toResult({ status, text }: { readonly status: number; readonly text: string }): PostResult {
  if (status >= 200 && status < 300) return { status, error: null, text };
  const note = status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
  return { status, error: `The server answered with status ${status}.${note}`, text };
}

function toFailure(error: unknown): PostResult {
  if (error instanceof OutboundError) return { status: null, error: error.message, text: '' };
  throw error;
}
