// Joins an operation of the API with the function that does it: validation, authentication and the answer's
// status and shape all follow from the operation's declaration.

import { createHash, timingSafeEqual } from 'node:crypto';
import {
  type BodyOf,
  type HeadersOf,
  type Operation,
  type ParamsOf,
  type QueryOf,
  RegistryError,
  type ResultOf,
} from '@provenance-registry/core';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Caller } from '../domain/caller.js';
import { type ReceivedFile, receiveFile, receiveForm, release, type UploadLimits } from './upload.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body is read, by operations that want a bearer token. */
    caller: Caller | undefined;
    file: ReceivedFile | undefined;
    /** From then on the handler lets go of the file. */
    isHandled: boolean;
  }
}

export interface Call<O extends Operation> {
  readonly params: ParamsOf<O>;
  readonly query: QueryOf<O>;
  readonly headers: HeadersOf<O> & { readonly accept?: string | undefined };
  readonly body: BodyOf<O>;
  /** What was sent as a file, in a form or as the whole body. */
  readonly file: ReceivedFile | undefined;
  readonly caller: O['auth'] extends 'bearer' ? Caller : undefined;
}

export type Handler<O extends Operation> = (
  call: Call<O>,
) => ResultOf<O> | BinaryAnswer | Promise<ResultOf<O> | BinaryAnswer>;

/** An answer that is not JSON. */
export class BinaryAnswer {
  constructor(
    readonly mediaType: string,
    readonly bytes: Uint8Array,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

export interface RouteLimits {
  /** For the whole request with its answer, when the usual time is too short. */
  readonly timeMs?: number;
  /** For operations that take files. */
  readonly upload?: UploadLimits;
}

export interface Authentication {
  /** Whom a token speaks for; throws UNAUTHORIZED. */
  readonly authenticate: (token: string) => Promise<Caller>;
  readonly operatorToken: string | undefined;
  /** Told of everything that a caller has changed. */
  readonly afterWrite: (caller: Caller) => void;
}

export type Router = <O extends Operation>(operation: O, handler: Handler<O>, limits?: RouteLimits) => void;

export function createRouter(app: FastifyInstance, authentication: Authentication): Router {
  app.decorateRequest('caller', undefined);
  app.decorateRequest('file', undefined);
  app.decorateRequest('isHandled', false);
  const admit = {
    none: async () => {},
    bearer: async (request: FastifyRequest) => {
      request.caller = await authentication.authenticate(bearerToken(request));
    },
    operator: async (request: FastifyRequest) => admitOperator(authentication.operatorToken, request),
  } satisfies Record<Operation['auth'], unknown>;

  return (operation, handler, limits = {}) => {
    const { success, params, query, headers, multipart } = operation;
    const options: RouteOptions = {
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      schema: {
        ...(params && { params }),
        ...(query && { querystring: query }),
        ...(headers && { headers }),
        ...bodySchema(operation),
        ...(success.schema && !success.mediaType && { response: { [success.status]: success.schema } }),
      },
      ...(limits.timeMs !== undefined && { handlerTimeout: limits.timeMs }),
      onRequest: admit[operation.auth],
      preValidation: async (request) => {
        lowerCaseUuids(request.params, params);
        lowerCaseUuids(request.query, query);
        lowerCaseUuids(request.body, isForm(request) ? multipart : operation.body);
        readNumbers(request.query, query);
        if (isForm(request)) readNumbers(request.body, multipart);
        // A request without a type has no body, and the schemas, which go by type, would not miss it.
        if (multipart && operation.body && request.body === undefined) {
          throw new RegistryError('BAD_REQUEST', 'The body is empty.');
        }
      },
      handler: async (request, reply) => {
        request.isHandled = true;
        try {
          // The schemas above have checked exactly these types.
          const result = await handler(request as unknown as Call<typeof operation>);
          if (request.caller && operation.method !== 'GET') authentication.afterWrite(request.caller);
          return answer(reply, operation, result);
        } finally {
          if (request.file) release(request.file);
        }
      },
    };
    const { upload } = limits;
    if (upload) app.register(async (scope) => takeFiles(scope, operation, upload).route(options));
    else app.route(options);
  };
}

function answer(reply: FastifyReply, { success }: Operation, result: unknown): unknown {
  reply.code(success.status);
  if (result instanceof BinaryAnswer) {
    const { mediaType, bytes, headers } = result;
    return reply
      .type(mediaType)
      .headers(headers)
      .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  }
  if (success.mediaType) reply.type(success.mediaType);
  return result;
}

/** A form has fields of its own; without one, whatever is the body is the file, and there is nothing to check. */
function bodySchema({ body, multipart }: Operation) {
  if (!multipart) return body && { body };
  const content = {
    ...(body && { 'application/json': { schema: body } }),
    'multipart/form-data': { schema: multipart },
  };
  return { body: { content } };
}

/** Forms, and files of any type where the operation takes them, are read as they arrive. */
function takeFiles(scope: FastifyInstance, { acceptsRawFile }: Operation, limits: UploadLimits): FastifyInstance {
  // A file whose request is refused before its handler, or whose client is gone by then, is held by nobody else.
  scope.addHook('onRequest', async (request, reply) => {
    reply.raw.once('close', () => {
      if (request.file && !request.isHandled) release(request.file);
    });
  });
  scope.addContentTypeParser('multipart/form-data', async (request: FastifyRequest) => {
    const { file, ...fields } = await receiveForm(request.raw, limits);
    hold(request, file);
    // The schema asks for the file by its name.
    return file ? { ...fields, file: true } : fields;
  });
  if (!acceptsRawFile) return scope;
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser('*', async (request: FastifyRequest) => {
    const mediaType = request.headers['content-type'];
    hold(request, await receiveFile(request.raw, limits, { mediaType }));
  });
  return scope;
}

function hold(request: FastifyRequest, file: ReceivedFile | undefined): void {
  request.file = file;
  if (!file || !request.raw.socket.destroyed) return;
  release(file);
  throw new RegistryError('BAD_REQUEST', 'The client is gone.');
}

function isForm(request: FastifyRequest): boolean {
  return /^multipart\/form-data/i.test(request.headers['content-type'] ?? '');
}

/** Everything in a query is text; what should be a number is made one, if it is one. */
function readNumbers(values: unknown, schema: Operation['query']): void {
  if (!schema || typeof values !== 'object' || values === null) return;
  for (const [name, value] of Object.entries(values)) {
    const property: unknown = schema.properties[name];
    const wantsNumber =
      typeof property === 'object' && property !== null && 'type' in property && property.type === 'integer';
    if (wantsNumber && typeof value === 'string' && /^-?\d{1,15}$/.test(value))
      Object.assign(values, { [name]: Number(value) });
  }
}

/** UUIDs are case-insensitive. Everything behind the HTTP layer compares them as text, in lower case. */
function lowerCaseUuids(values: unknown, schema: Operation['query']): void {
  if (!schema || typeof values !== 'object' || values === null) return;
  for (const [name, value] of Object.entries(values)) {
    const property: unknown = schema.properties[name];
    const isUuid =
      typeof property === 'object' && property !== null && 'format' in property && property.format === 'uuid';
    if (isUuid && typeof value === 'string') Object.assign(values, { [name]: value.toLowerCase() });
  }
}

function bearerToken(request: FastifyRequest): string {
  const match = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '');
  if (!match?.[1]) throw new RegistryError('UNAUTHORIZED', 'Send a token as "Authorization: Bearer <token>".');
  return match[1];
}

/** Without a token set, there are no operator endpoints. */
function admitOperator(expected: string | undefined, request: FastifyRequest): void {
  if (expected === undefined) throw new RegistryError('NOT_FOUND', 'Operator endpoints are switched off.');
  const digest = (text: string) => createHash('sha256').update(text).digest();
  if (!timingSafeEqual(digest(bearerToken(request)), digest(expected))) {
    throw new RegistryError('UNAUTHORIZED', 'This is not the operator token.');
  }
}
