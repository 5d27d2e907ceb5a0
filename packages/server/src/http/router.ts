// Registers an operation of the API with its handler. Validation, authentication, and the status and shape of the response
// follow from the operation's declaration.

import { Readable } from 'node:stream';
import {
  type BodyOf,
  type HeadersOf,
  jsonLimitsOf,
  type LinesForm,
  linesMediaType,
  type Operation,
  type ParamsOf,
  type QueryOf,
  RegistryError,
  type ResultOf,
} from '@provenance-registry/core';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, RouteOptions } from 'fastify';
import type { Caller } from '../domain/caller.js';
import { type Authentication, createAuthorizers } from './authentication.js';
import { createFileTurns, type TakeFileTurn } from './budgets/fileTurns.js';
import type { HttpLimits } from './budgets/limits.js';
import type { MemoryBudget } from './budgets/memoryBudget.js';
import { createRequestTurns } from './budgets/requestTurns.js';
import { CallOrigin } from './callOrigin.js';
import { acceptLines, type Items } from './parsing/ndjson.js';
import { isForm, requireNoFields } from './parsing/validation.js';
import { sendWithEtag } from './responses/etag.js';
import { serializeLongList } from './responses/longLists.js';
import { EventStream, StreamedJson, StreamedLines, startPieces } from './responses/streams.js';
import { acceptFiles } from './uploads/acceptFiles.js';
import { type ReceivedFile, releaseFile, type UploadLimits } from './uploads/uploads.js';
import type { UploadsInProgress } from './uploads/uploadsInProgress.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body is read, by operations that need a bearer token. */
    caller: Caller | undefined;
  }
}

export interface Call<O extends Operation> {
  readonly params: ParamsOf<O>;
  readonly query: QueryOf<O>;
  readonly headers: HeadersOf<O> & { readonly accept?: string | undefined };
  readonly body: BodyOf<O>;
  /** The file, part of a form or the whole body. */
  readonly file: ReceivedFile | undefined;
  /** Items of a body of lines, or of the JSON that is the alternative. */
  readonly items: O extends { lines: LinesForm } ? Items : undefined;
  readonly caller: O['auth'] extends 'bearer' ? Caller : undefined;
}

export type Handler<O extends Operation> = (
  call: Call<O>,
  origin: CallOrigin,
  request: FastifyRequest,
) => HandlerResult<O> | Promise<HandlerResult<O>>;

type HandlerResult<O extends Operation> =
  | ResultOf<O>
  | BinaryResponse
  | SerializedJson
  | StreamedJson
  | StreamedLines
  | EventStream;

/** A response that is not JSON. */
export class BinaryResponse {
  constructor(
    readonly mediaType: string,
    readonly bytes: Uint8Array,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** A JSON response that caches may keep, with an ETag. */
export class SerializedJson {
  constructor(
    readonly text: Uint8Array,
    readonly cacheControl: string,
  ) {}
}

export interface RouteLimits {
  /** Replaces the default time limit of a request. */
  readonly timeoutMs?: number;
  /** Limits of operations with files. */
  readonly upload?: UploadLimits;
  /** The operation has a budget of its own, or waits for something, or costs less than a turn would. */
  readonly takesNoTurn?: boolean;
}

export type Router = <O extends Operation>(operation: O, handler: Handler<O>, limits?: RouteLimits) => void;

export interface RouterOptions extends Authentication {
  /** Called before every operation that changes something; throws when it must not. */
  readonly requireWritable: () => Promise<void>;
  /** Called after every operation that changes something, with its caller. */
  readonly afterWrite: (caller: Caller | undefined) => void;
  /** The start of every `Location`. */
  readonly baseUrl: string;
  readonly limits: HttpLimits;
  readonly uploads: UploadsInProgress;
  /** Of bodies. */
  readonly memory: MemoryBudget;
}

export function createRouter(app: FastifyInstance, options: RouterOptions): Router {
  app.decorateRequest('caller', undefined);
  app.decorateRequest('file', undefined);
  app.decorateRequest('isHandled', false);
  app.decorateRequest('items', undefined);
  const authorizers = createAuthorizers(options);
  const turns = createRequestTurns(options.limits);
  const takeFileTurn = createFileTurns(options.limits);

  return (operation, handler, limits = {}) => {
    const { success } = operation;
    const { timeoutMs = options.limits.operationMs, takesNoTurn = false } = limits;
    const hasBody = operation.body !== undefined || operation.multipart !== undefined;
    const authorize = authorizers[operation.auth];

    const routeOptions: RouteOptions = {
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      schema: routeSchema(operation),
      config: { operation, jsonLimits: jsonLimitsOf(operation) },
      handlerTimeout: timeoutMs,
      onRequest: [
        ...(success.alternatives ? [varyByAccept] : []),
        ...(changesSomething(operation) ? [() => options.requireWritable()] : []),
        authorize,
      ],
      preValidation: async (request) => normalizeRequest(request, operation),
      handler: async (request, reply) => {
        const origin = new CallOrigin(request, reply);
        // The schemas check exactly these types.
        const call = request as unknown as Call<typeof operation>;
        const handle = async () => {
          const result = await handler(call, origin, request);
          if (changesSomething(operation)) options.afterWrite(request.caller);
          return result;
        };
        const handling = runHandler(request, takesNoTurn ? handle : () => origin.runInTurn(turns, handle));
        // Fastify's time limit ends with the body.
        const result = await (hasBody ? limitTime(handling, timeoutMs, origin) : handling);
        if (success.location) {
          const values = { ...toObject(request.params), ...toObject(result) };
          reply.header('location', options.baseUrl + fillPath(success.location, values));
        }
        return await sendResult(reply, origin, operation, result);
      },
    };
    addRoute(app, routeOptions, operation, limits.upload, { ...options, takeFileTurn });
  };
}

/** Lookups may be requests with a body. */
function changesSomething({ method, auth, tag }: Operation): boolean {
  return method !== 'GET' && !(auth === 'none' && (tag === 'Public' || tag === 'Resolution'));
}

/** Adds the route, in a scope of its own if its body is lines or may contain a file. */
function addRoute(
  app: FastifyInstance,
  route: RouteOptions,
  operation: Operation,
  upload: UploadLimits | undefined,
  { limits, uploads, memory, takeFileTurn }: RouterOptions & { readonly takeFileTurn: TakeFileTurn },
): void {
  const { lines: form, auth } = operation;
  if (form) {
    const options = { form, isPublic: auth === 'none', limits, uploads, memory };
    app.register(async (scope) => acceptLines(scope, options).route(route));
  } else if (upload)
    app.register(async (scope) => acceptFiles(scope, operation, upload, uploads, takeFileTurn).route(route));
  else app.route(route);
}

function routeSchema(operation: Operation): FastifySchema {
  const { params, query, headers, success } = operation;
  // Without undefined members: Fastify warns about each.
  return {
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(headers && { headers }),
    ...bodySchema(operation),
    ...(success.schema && !success.mediaType && { response: { [success.status]: success.schema } }),
  };
}

function normalizeRequest(request: FastifyRequest, { params, query, body, multipart, lines }: Operation): void {
  normalize(request.params, params);
  normalize(request.query, query, { fromText: true });
  if (isForm(request)) normalize(request.body, multipart, { fromText: true });
  else normalize(request.body, body);
  if (!body && !isForm(request)) requireNoFields(request.body);
  // Schemas are chosen by content type: without one, a missing body would pass.
  const isChosenByType = multipart !== undefined || lines !== undefined;
  if (isChosenByType && body && request.body === undefined && !request.items) {
    throw new RegistryError('BAD_REQUEST', 'The body is empty.');
  }
}

async function runHandler<T>(request: FastifyRequest, handle: () => T | Promise<T>): Promise<T> {
  request.isHandled = true;
  try {
    return await handle();
  } finally {
    if (request.file) releaseFile(request.file);
  }
}

function limitTime<T>(result: Promise<T>, timeoutMs: number, origin: CallOrigin): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const error = new RegistryError('UNAVAILABLE', 'The service could not respond in time.');
      origin.abort(error);
      reject(error);
    }, timeoutMs);
    result.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Also for errors: a cache must not give them to clients that ask for another form. */
async function varyByAccept(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header('vary', 'Accept');
}

function fillPath(path: string, values: Readonly<Record<string, unknown>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
}

function toObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

async function sendResult(
  reply: FastifyReply,
  origin: CallOrigin,
  { success }: Operation,
  result: unknown,
): Promise<unknown> {
  reply.code(success.status);
  if (result instanceof BinaryResponse) {
    const { mediaType, bytes, headers } = result;
    return reply
      .type(mediaType)
      .headers(headers)
      .send(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  }
  if (result instanceof SerializedJson) {
    reply.header('cache-control', result.cacheControl);
    return sendWithEtag(reply.request, reply, JSON_TYPE, result.text);
  }
  if (result instanceof StreamedJson) {
    return reply.type(JSON_TYPE).send(Readable.from(await startPieces(result.pieces)));
  }
  if (result instanceof StreamedLines) {
    return reply.type(linesMediaType).send(Readable.from(await startPieces(result.pieces)));
  }
  if (result instanceof EventStream) {
    reply.raw.once('close', result.onEnd);
    reply.type('text/event-stream; charset=utf-8').headers(eventStreamHeaders);
    return reply.send(Readable.from(await startPieces(result.pieces)));
  }
  if (success.mediaType) reply.type(success.mediaType);
  const list = success.schema && (await serializeLongList(reply, success.schema, result, origin.payer));
  return list === undefined ? result : reply.type(JSON_TYPE).send(list);
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Proxies must send events on at once. The connection ends with the stream, so that a stop need not wait for it. */
const eventStreamHeaders = { 'x-accel-buffering': 'no', connection: 'close' };

/** A body that is neither JSON nor a form is the file itself, or lines, and has no schema. */
function bodySchema({ multipart, lines, ...operation }: Operation) {
  const body = operation.checkedBody ?? operation.body;
  if (!multipart && !lines) return body && { body };
  const content = {
    ...(body && { 'application/json': { schema: body } }),
    ...(multipart && { 'multipart/form-data': { schema: multipart } }),
  };
  return { body: { content } };
}

/**
 * Lower-cases UUIDs, which everything behind the HTTP layer compares as text, and converts the integers and booleans of a
 * query or form, which arrive as text. Other values are left for the schema to reject.
 */
export function normalize(values: unknown, schema: Operation['query'], { fromText = false } = {}): void {
  if (!schema || typeof values !== 'object' || values === null) return;
  // By the names of the schema: a body may have thousands of others.
  for (const [name, field] of Object.entries(schema.properties)) {
    const { type, format }: { type?: unknown; format?: unknown } = field;
    const value: unknown = Object.hasOwn(values, name) ? Reflect.get(values, name) : undefined;
    if (typeof value !== 'string') continue;
    if (format === 'uuid') Object.assign(values, { [name]: value.toLowerCase() });
    else if (fromText && type === 'integer' && /^-?\d{1,15}$/.test(value))
      Object.assign(values, { [name]: Number(value) });
    else if (fromText && type === 'boolean' && /^(true|false)$/.test(value))
      Object.assign(values, { [name]: value === 'true' });
  }
}
