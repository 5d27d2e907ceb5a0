// Joins an operation of the API with the function that does it: validation, authentication and the answer's
// status and shape all follow from the operation's declaration.

import { createHash, timingSafeEqual } from 'node:crypto';
import {
  type BodyOf,
  type Operation,
  type ParamsOf,
  RegistryError,
  type ResultOf,
  type User,
} from '@provenance-registry/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body is read, by operations that want a bearer token. */
    caller: User | undefined;
  }
}

export interface Call<O extends Operation> {
  readonly params: ParamsOf<O>;
  readonly body: BodyOf<O>;
  readonly caller: O['auth'] extends 'bearer' ? User : undefined;
}

export type Handler<O extends Operation> = (call: Call<O>) => ResultOf<O> | Promise<ResultOf<O>>;

export interface Authentication {
  /** The user that a token speaks for; throws UNAUTHORIZED. */
  readonly authenticate: (token: string) => Promise<User>;
  readonly operatorToken: string | undefined;
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
    const { success, params, body } = operation;
    app.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      schema: {
        ...(params && { params }),
        ...(body && { body }),
        ...(!success.mediaType && { response: { [success.status]: success.schema } }),
      },
      onRequest: admit[operation.auth],
      handler: async (request, reply) => {
        reply.code(success.status);
        if (success.mediaType) reply.type(success.mediaType);
        // The schemas above have checked exactly these types.
        return handler(request as unknown as Call<typeof operation>);
      },
    });
  };
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
