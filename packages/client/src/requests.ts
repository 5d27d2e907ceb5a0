// How the input of a call becomes a request: each field goes where the operation's declaration has it.

import { MAX_WAIT_SECONDS, type Operation } from '@provenance-registry/core';
import type { Sent } from './exchange.js';

/** The server gives up after 20 s; then its refusal needs time to arrive. */
const REQUEST_MS = 30_000;
/** For a file on a slow line: longer than the server takes one. */
const UPLOAD_MS = 15 * 60_000;
/** The largest answer, a page of 200 Artifacts, is below 1 MB. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

export type Fields = Readonly<Record<string, unknown>>;
export type Content = Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

export interface Prepared extends Sent {
  readonly isRepeatable: boolean;
}

export interface Sender {
  readonly baseUrl: string;
  readonly credential?: string | undefined;
  /** What a creation gets that has no key from its caller. */
  readonly newKey: () => string;
  readonly idempotencyKey?: string | undefined;
}

export function prepare(operation: Operation, input: Fields, sender: Sender): Prepared {
  const { method, auth, success } = operation;
  const isCreation = 'idempotency-key' in (operation.headers?.properties ?? {});
  const headers = new Headers({ accept: success.mediaType ?? 'application/json' });
  if (auth !== 'none' && sender.credential !== undefined) headers.set('authorization', `Bearer ${sender.credential}`);
  if (isCreation) headers.set('idempotency-key', sender.idempotencyKey ?? sender.newKey());
  const body = bodyOf(operation, input);
  if (typeof body === 'string') headers.set('content-type', 'application/json');
  const isStream = body instanceof ReadableStream;
  return {
    url: sender.baseUrl + pathOf(operation, input),
    // `duplex` is what streams as bodies demand; the DOM's types do not have it yet.
    init: { method, headers, ...(body !== undefined && { body }), ...(isStream && { duplex: 'half' }) },
    timeMs: timeOf(operation, input),
    maxBytes: MAX_ANSWER_BYTES,
    isRepeatable: !isStream && (isCreation || isSafeTwice(operation)),
  };
}

/** Only POST says "one more": those that make something answer 201, the others look something up. */
function isSafeTwice({ method, success }: Operation): boolean {
  return method !== 'POST' || success.status === 200;
}

function timeOf(operation: Operation, input: Fields): number {
  if (operation.multipart && isContent(input['file'])) return UPLOAD_MS;
  const { wait } = pick(operation.query, input);
  return REQUEST_MS + (typeof wait === 'number' ? Math.min(wait, MAX_WAIT_SECONDS) * 1000 : 0);
}

function pathOf({ path, query }: Operation, input: Fields): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));
  const asked = Object.entries(pick(query, input)).map(([name, value]) => [name, String(value)]);
  return asked.length === 0 ? filled : `${filled}?${new URLSearchParams(asked)}`;
}

function bodyOf(operation: Operation, input: Fields): Content | FormData | string | undefined {
  const { body, multipart, acceptsRawFile } = operation;
  const { file } = input;
  if (acceptsRawFile) return isContent(file) ? file : undefined;
  if (multipart && file instanceof Blob) return formOf(pick(multipart, input), file);
  return body && JSON.stringify(pick(body, input));
}

function formOf({ file: _, ...fields }: Fields, file: Blob): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  // Last: whoever reads the form as it arrives knows by then what the file is for.
  form.append('file', file);
  return form;
}

function isContent(value: unknown): value is Content {
  return value instanceof Blob || value instanceof Uint8Array || value instanceof ReadableStream;
}

/** The fields that the schema has, if they are given. */
function pick(schema: Operation['body'], input: Fields): Fields {
  const names = Object.keys(schema?.properties ?? {}).filter((name) => input[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, input[name]]));
}
