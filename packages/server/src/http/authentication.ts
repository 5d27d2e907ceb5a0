// Who may call an operation: bearer tokens of users and API keys, the operator's token, and monitoring on the same machine.

import { createHash, timingSafeEqual } from 'node:crypto';
import { type Operation, RegistryError, scopeIncludes } from '@provenance-registry/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../domain/caller.js';
import { CallOrigin } from './callOrigin.js';

export interface Authentication {
  /** Throws UNAUTHORIZED. */
  readonly authenticate: (token: string, origin: CallOrigin) => Promise<Caller>;
  readonly operatorToken: string | undefined;
}

type Authorize = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** The check that runs before the body is read, by what an operation declares. */
export function createAuthorizers({
  authenticate,
  operatorToken,
}: Authentication): Record<Operation['auth'], Authorize> {
  return {
    none: async () => {},
    bearer: async (request, reply) => {
      request.caller = await authenticate(bearerToken(request), new CallOrigin(request, reply));
      requireScope(request.caller, request.routeOptions.config.operation);
    },
    operator: async (request) => requireOperatorToken(operatorToken, request),
    monitoring: async (request) => {
      if (!isFromThisMachine(request)) requireOperatorToken(operatorToken, request);
    },
  };
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
