// Joins an operation of the API with the function that does it: validation, authentication and the answer's
// status and shape all follow from the operation's declaration.

import { createHash, timingSafeEqual } from 'node:crypto';
import {
  type BodyOf,
  type Operation,
  type ParamsOf,
  type QueryOf,
  RegistryError,
  type ResultOf,
} from '@provenance-registry/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../registry/caller.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body is read, by operations that want a bearer token. */
    caller: Caller | undefined;
  }
}

export interface Call<O extends Operation> {
  readonly params: ParamsOf<O>;
  readonly query: QueryOf<O>;
  readonly body: BodyOf<O>;
  readonly caller: O['auth'] extends 'bearer' ? Caller : undefined;
}

export type Handler<O extends Operation> = (call: Call<O>) => ResultOf<O> | Promise<ResultOf<O>>;

export interface Authentication {
  /** Whom a token speaks for; throws UNAUTHORIZED. */
  readonly authenticate: (token: string) => Promise<Caller>;
  readonly operatorToken: string | undefined;
  /** Told of everything that a caller has changed. */
  readonly afterWrite: (caller: Caller) => void;
}

export type Router = <O extends Operation>(operation: O, handler: Handler<O>) => void;

export function createRouter(app: FastifyInstance, authentication: Authentication): Router {
  app.decorateRequest('caller', undefined);
  const admit = {
    none: async () => {},
    bearer: async (request: FastifyRequest) => {
      request.caller = await authentication.authenticate(bearerToken(request));
    },
    operator: async (request: FastifyRequest) => admitOperator(authentication.operatorToken, request),
  } satisfies Record<Operation['auth'], unknown>;

  return (operation, handler) => {
    const { success, params, query, body } = operation;
    app.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      schema: {
        ...(params && { params }),
        ...(query && { querystring: query }),
        ...(body && { body }),
        ...(success.schema && !success.mediaType && { response: { [success.status]: success.schema } }),
      },
      onRequest: admit[operation.auth],
      preValidation: async (request) => readNumbers(request.query, query),
      handler: async (request, reply) => {
        reply.code(success.status);
        if (success.mediaType) reply.type(success.mediaType);
        // The schemas above have checked exactly these types.
        const result = await handler(request as unknown as Call<typeof operation>);
        if (request.caller && operation.method !== 'GET') authentication.afterWrite(request.caller);
        return result;
      },
    });
  };
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
