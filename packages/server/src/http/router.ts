// Registers an operation of the API with its handler. Validation, authentication, and the status and shape of the response
// follow from the operation's declaration.

import { createHash, timingSafeEqual } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  type BodyOf,
  type HeadersOf,
  type LinesForm,
  linesMediaType,
  type Operation,
  type ParamsOf,
  type QueryOf,
  RegistryError,
  type ResultOf,
  scopeIncludes,
} from '@provenance-registry/core';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Caller } from '../domain/caller.js';
import type { HttpLimits } from './budgets/limits.js';
import { CallOrigin, clientOf } from './callOrigin.js';
import { acceptLines, type Items } from './ndjson.js';
import { sendWithEtag } from './responses/etag.js';
import { EventStream, StreamedJson, StreamedLines, startPieces } from './responses/streams.js';
import {
  declaredBytes,
  type ReceivedFile,
  receiveFile,
  receiveForm,
  releaseFile,
  type UploadLimits,
} from './uploads/uploads.js';
import type { UploadsInProgress } from './uploads/uploadsInProgress.js';
import { isForm } from './validation.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body is read, by operations that need a bearer token. */
    caller: Caller | undefined;
    file: ReceivedFile | undefined;
    /** Once set, the handler releases the file. */
    isHandled: boolean;
  }
}

export interface Call<O extends Operation> {
  readonly params: ParamsOf<O>;
  readonly query: QueryOf<O>;
  readonly headers: HeadersOf<O> & { readonly accept?: string | undefined };
  readonly body: BodyOf<O>;
  /** In a form or as the whole body. */
  readonly file: ReceivedFile | undefined;
  /** Of a body of lines, or of the JSON that is the alternative. */
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
  /** Replaces the largest size of a JSON body. */
  readonly maxJsonBytes?: number;
  /** For operations with files. */
  readonly upload?: UploadLimits;
}

export interface Authentication {
  /** Throws UNAUTHORIZED. */
  readonly authenticate: (token: string, origin: CallOrigin) => Promise<Caller>;
  readonly operatorToken: string | undefined;
  /** Called after every change that a caller made. */
  readonly afterWrite: (caller: Caller) => void;
}

export type Router = <O extends Operation>(operation: O, handler: Handler<O>, limits?: RouteLimits) => void;

export interface RouterOptions extends Authentication {
  /** The start of every `Location`. */
  readonly baseUrl: string;
  readonly limits: HttpLimits;
  readonly uploads: UploadsInProgress;
}

export function createRouter(app: FastifyInstance, options: RouterOptions): Router {
  const { baseUrl, limits: httpLimits, uploads, ...authentication } = options;
  app.decorateRequest('caller', undefined);
  app.decorateRequest('file', undefined);
  app.decorateRequest('isHandled', false);
  app.decorateRequest('items', undefined);
  const authorize = {
    none: async () => {},
    bearer: async (request: FastifyRequest, reply: FastifyReply) => {
      request.caller = await authentication.authenticate(bearerToken(request), new CallOrigin(request, reply));
      requireScope(request.caller, request.routeOptions.config.operation);
    },
    operator: async (request: FastifyRequest) => requireOperatorToken(authentication.operatorToken, request),
    monitoring: async (request: FastifyRequest) => {
      if (!isFromThisMachine(request)) requireOperatorToken(authentication.operatorToken, request);
    },
  } satisfies Record<Operation['auth'], unknown>;

  return (operation, handler, limits = {}) => {
    const { success, params, query, headers, multipart } = operation;
    const { timeoutMs = httpLimits.operationMs } = limits;
    const hasBody = operation.body !== undefined || multipart !== undefined;

    const handle = async (request: FastifyRequest, origin: CallOrigin) => {
      try {
        // The schemas below check exactly these types.
        const result = await handler(request as unknown as Call<typeof operation>, origin, request);
        if (request.caller && operation.method !== 'GET') authentication.afterWrite(request.caller);
        return result;
      } finally {
        if (request.file) releaseFile(request.file);
      }
    };

    const routeOptions: RouteOptions = {
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      schema: {
        ...(params && { params }),
        ...(query && { querystring: query }),
        ...(headers && { headers }),
        ...bodySchema(operation),
        ...(success.schema && !success.mediaType && { response: { [success.status]: success.schema } }),
      },
      config: { operation, ...(limits.maxJsonBytes !== undefined && { maxJsonBytes: limits.maxJsonBytes }) },
      handlerTimeout: timeoutMs,
      onRequest: success.alternatives ? [varyByAccept, authorize[operation.auth]] : authorize[operation.auth],
      preValidation: async (request) => {
        normalize(request.params, params);
        normalize(request.query, query, { fromText: true });
        if (isForm(request)) normalize(request.body, multipart, { fromText: true });
        else normalize(request.body, operation.body);
        // Schemas are chosen by content type: without one, a missing body would pass.
        const isChosenByType = multipart !== undefined || operation.lines !== undefined;
        if (isChosenByType && operation.body && request.body === undefined && !request.items) {
          throw new RegistryError('BAD_REQUEST', 'The body is empty.');
        }
      },
      handler: async (request, reply) => {
        request.isHandled = true;
        const origin = new CallOrigin(request, reply);
        const result = handle(request, origin);
        // Fastify's time limit ends with the body.
        const limited = await (hasBody ? limitTime(result, timeoutMs, origin) : result);
        if (success.location) {
          const values = { ...toObject(request.params), ...toObject(limited) };
          reply.header('location', baseUrl + fillPath(success.location, values));
        }
        return await sendResult(request, reply, operation, limited);
      },
    };
    const { upload } = limits;
    const form = operation.lines;
    if (form) {
      const options = { form, isPublic: operation.auth === 'none', limits: httpLimits, uploads };
      app.register(async (scope) => acceptLines(scope, options).route(routeOptions));
    } else if (upload)
      app.register(async (scope) => acceptFiles(scope, operation, upload, uploads).route(routeOptions));
    else app.route(routeOptions);
  };
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
  request: FastifyRequest,
  reply: FastifyReply,
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
    return sendWithEtag(request, reply, 'application/json; charset=utf-8', result.text);
  }
  if (result instanceof StreamedJson) {
    return reply.type('application/json; charset=utf-8').send(Readable.from(await startPieces(result.pieces)));
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
  return result;
}

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

/** Reads forms, and files of any type if the operation allows that, as they arrive. */
function acceptFiles(
  scope: FastifyInstance,
  { acceptsRawFile, auth }: Operation,
  limits: UploadLimits,
  uploads: UploadsInProgress,
): FastifyInstance {
  const isPublic = auth === 'none';
  // Releases the file of a request that fails, or whose client disconnects, before its handler runs.
  scope.addHook('onRequest', async (request, reply) => {
    reply.raw.once('close', () => {
      if (request.file && !request.isHandled) releaseFile(request.file);
    });
  });
  scope.addContentTypeParser('multipart/form-data', async (request: FastifyRequest) => {
    const upload = uploads(clientOf(request), request.raw.socket, { isPublic });
    const { file, ...fields } = await receiveForm(request.raw, limits, upload).finally(upload.finish);
    attachFile(request, file);
    // The schema requires a text called `file`; the file itself is in the request.
    return file ? { ...fields, file: '' } : fields;
  });
  if (!acceptsRawFile) return scope;
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser('*', async (request: FastifyRequest) => {
    const mediaType = request.headers['content-type'];
    const upload = uploads(clientOf(request), request.raw.socket, { isPublic });
    const facts = { mediaType, expectedBytes: declaredBytes(request.raw) };
    attachFile(request, await receiveFile(request.raw, limits, upload, facts).finally(upload.finish));
  });
  return scope;
}

function attachFile(request: FastifyRequest, file: ReceivedFile | undefined): void {
  request.file = file;
  if (!file || !request.raw.socket.destroyed) return;
  releaseFile(file);
  throw new RegistryError('BAD_REQUEST', 'The client closed the connection.');
}

/**
 * Lower-cases UUIDs, which everything behind the HTTP layer compares as text, and converts the integers and booleans of a
 * query or form, which arrive as text. Other values are left for the schema to reject.
 */
export function normalize(values: unknown, schema: Operation['query'], { fromText = false } = {}): void {
  if (!schema || typeof values !== 'object' || values === null) return;
  for (const [name, value] of Object.entries(values)) {
    const { type, format }: { type?: unknown; format?: unknown } = schema.properties[name] ?? {};
    if (typeof value !== 'string') continue;
    if (format === 'uuid') Object.assign(values, { [name]: value.toLowerCase() });
    else if (fromText && type === 'integer' && /^-?\d{1,15}$/.test(value))
      Object.assign(values, { [name]: Number(value) });
    else if (fromText && type === 'boolean' && /^(true|false)$/.test(value))
      Object.assign(values, { [name]: value === 'true' });
  }
}

function requireScope({ keyScope }: Caller, operation: Operation | undefined): void {
  if (keyScope === null || (operation && scopeIncludes(keyScope, operation))) return;
  throw new RegistryError('FORBIDDEN', `The scope of this API key, "${keyScope}", does not include this operation.`);
}

export function bearerToken(request: FastifyRequest): string {
  const match = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '');
  if (!match?.[1]) throw new RegistryError('UNAUTHORIZED', 'Send a token as "Authorization: Bearer <token>".');
  return match[1];
}

const forwardingHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/** What a proxy on this machine forwards is not from this machine. */
function isFromThisMachine({ headers, socket }: FastifyRequest): boolean {
  const isLoopback = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(socket.remoteAddress ?? '');
  return isLoopback && forwardingHeaders.every((name) => headers[name] === undefined);
}

function requireOperatorToken(expected: string | undefined, request: FastifyRequest): void {
  if (expected === undefined) throw new RegistryError('NOT_FOUND', 'Operator endpoints are disabled.');
  const digest = (text: string) => createHash('sha256').update(text).digest();
  if (!timingSafeEqual(digest(bearerToken(request)), digest(expected))) {
    throw new RegistryError('UNAUTHORIZED', 'Invalid operator token.');
  }
}
