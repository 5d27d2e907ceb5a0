// Builds requests: each input field goes where the operation has it.

import { MAX_WAIT_SECONDS } from '@provenance-registry/core';
import type { HttpRequest } from './http.js';
import type { OperationId, OperationRequest } from './operationRequest.js';
import { operations } from './operations.generated.js';
import { isRepeatable } from './repetition.js';

/** The server gives up after 20 s; the rest is for its response to arrive. */
const REQUEST_TIMEOUT_MS = 30_000;
/** Time limit of operations that check or set a password, which may wait for their turn for 55 s. */
const PASSWORD_TIMEOUT_MS = 65_000;
/** Time limit of files over slow connections: longer than the server waits for one. */
const UPLOAD_TIMEOUT_MS = 15 * 60_000;
/** Time limit of a thousand creations: the server gives up after two minutes. */
const BATCH_TIMEOUT_MS = 150_000;
/** The largest response, for a batch of 1,000 Artifacts, is about 3 MB. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

export type Fields = Readonly<Record<string, unknown>>;

/**
 * A file to send as the body of a request.
 * @example
 * ```ts
 * const content: FileContent = new Blob(['hello']);
 * const { matches } = await client.findByContent({ file: content });
 * ```
 */
export type FileContent = Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

interface RequestContext {
  readonly baseUrl: string;
  readonly credential?: string | undefined;
  /** Used for creations without a key from the caller. */
  readonly createKey: () => string;
  readonly idempotencyKey?: string | undefined;
}

export function buildRequest(
  id: OperationId,
  input: Fields,
  context: RequestContext,
): HttpRequest & { readonly isRepeatable: boolean; readonly waitMs: number } {
  const operation = operations[id];
  const { method, accept = 'application/json', isPublic, isCreation } = operation;
  const body = buildBody(operation, id === 'createArtifacts' ? withKeys(input, context) : input);
  const isStream = typeof body === 'object' && body instanceof ReadableStream;
  // A record: in Node, `Headers` would load all of fetch.
  const headers = {
    accept,
    ...(!isPublic && context.credential !== undefined && { authorization: `Bearer ${context.credential}` }),
    ...(isCreation && { 'idempotency-key': context.idempotencyKey ?? context.createKey() }),
    ...(typeof body === 'string' && { 'content-type': 'application/json' }),
  };
  const waitMs = readWait(operation, input);
  return {
    url: context.baseUrl + buildPath(operation, input),
    // Streams as bodies require `duplex`, which the DOM types lack.
    init: { method, headers, ...(body !== undefined && { body }), ...(isStream && { duplex: 'half' }) },
    timeoutMs: chooseTimeout(id, input) + waitMs,
    waitMs,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    isRepeatable: !isStream && isRepeatable(id, input),
  };
}

/** Items without a key get one, the same for all attempts, as calls of their own do. */
function withKeys({ artifacts, ...input }: Fields, { createKey }: RequestContext): Fields {
  if (!Array.isArray(artifacts)) return { ...input, artifacts };
  return { ...input, artifacts: artifacts.map((item: object) => ({ idempotencyKey: createKey(), ...item })) };
}

function chooseTimeout(id: OperationId, input: Fields): number {
  if (id === 'createArtifacts') return BATCH_TIMEOUT_MS;
  const { form, body = [] } = operations[id];
  if (form && isFileContent(input['file'])) return UPLOAD_TIMEOUT_MS;
  return body.some((name) => /password/i.test(name)) ? PASSWORD_TIMEOUT_MS : REQUEST_TIMEOUT_MS;
}

/** How long the caller asks the service to wait for a change before it responds. */
function readWait({ query }: OperationRequest, input: Fields): number {
  const { wait } = pick(query, input);
  return typeof wait === 'number' ? Math.min(wait, MAX_WAIT_SECONDS) * 1000 : 0;
}

function buildPath({ path, query }: OperationRequest, input: Fields): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));
  const parameters = Object.entries(pick(query, input)).map(([name, value]) => [name, String(value)]);
  return parameters.length === 0 ? filled : `${filled}?${new URLSearchParams(parameters)}`;
}

function buildBody(operation: OperationRequest, input: Fields): FileContent | FormData | string | undefined {
  const { body, form, acceptsRawFile } = operation;
  const { file } = input;
  if (acceptsRawFile) return isFileContent(file) ? file : undefined;
  const fields = form || body ? listBodyFields(operation, input) : {};
  if (form && file instanceof Blob) return buildForm(fields, file);
  if (form && file instanceof Uint8Array) return buildForm(fields, new Blob([file.slice()]));
  return body && JSON.stringify(fields);
}

/** Also fields that the operation does not have: the service names the one that was meant. Left out, they would be defaults. */
function listBodyFields({ path, query }: OperationRequest, input: Fields): Fields {
  const isElsewhere = (name: string) => path.includes(`{${name}}`) || query?.includes(name);
  return Object.fromEntries(Object.entries(input).filter(([name, value]) => value !== undefined && !isElsewhere(name)));
}

function buildForm({ file: _, ...fields }: Fields, file: Blob): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  // Last: a server that reads the form as it arrives then knows all fields before the file.
  form.append('file', file);
  return form;
}

function isFileContent(value: unknown): value is FileContent {
  return value instanceof Blob || value instanceof Uint8Array || value instanceof ReadableStream;
}

/** The given fields that have one of these names. */
function pick(names: readonly string[] = [], input: Fields): Fields {
  return Object.fromEntries(names.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])));
}
