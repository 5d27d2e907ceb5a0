// The one place where errors become responses: `{error, code}` with the status of the code.

import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, errorStatus, RegistryError } from '@provenance-registry/core';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { LostJobError } from '../workers/pool.js';
import { validationError } from './parsing/validation.js';

/** Sent with every 503 that says nothing else. */
export const RETRY_AFTER_SECONDS = 2;

const codeByStatus: Partial<Record<number, ErrorCode>> = {
  404: 'NOT_FOUND',
  408: 'REQUEST_TIMEOUT',
  413: 'PAYLOAD_TOO_LARGE',
  414: 'URI_TOO_LONG',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

const defaultMessages: Partial<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'The request is malformed.',
  NOT_FOUND: 'Not found.',
  REQUEST_TIMEOUT: 'The request took too long to arrive.',
  PAYLOAD_TOO_LARGE: 'The body is too large for this operation.',
  URI_TOO_LONG: 'The URL is too long.',
  UNSUPPORTED_MEDIA_TYPE: 'The body must be application/json.',
  HEADERS_TOO_LARGE: 'The request headers are too large.',
  UNAVAILABLE: 'The service could not respond in time.',
};

/** Fastify's codes for a path with a malformed escape sequence or an overlong parameter. No manifest has such an ID. */
const unreadablePathCodes = ['FST_ERR_BAD_URL', 'FST_ERR_MAX_PARAM_LENGTH'];
/**
 * Codes of what may succeed in a moment: transactions that PostgreSQL rolled back because of others, and the operating system
 * without descriptors, processes, memory or disk.
 */
const transientCodes = ['40001', '40P01', 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM', 'ENOBUFS', 'ENOSPC', 'EDQUOT'];
const manifestPath = /^\/api\/c2pa\/manifests\/[^/?]+/;

/** The headers of every response. Requests that the router or the parser rejects pass no hook and get them here. */
export function standardHeaders(requestId: string) {
  return {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  };
}

export function sendError(error: FastifyError | RegistryError, request: FastifyRequest, reply: FastifyReply) {
  const { status, body, retryAfterSeconds } = describeError(error, request);
  reply.headers(standardHeaders(request.id));
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** Logs the cause of an error that is not the client's. */
export function describeError(error: unknown, request: FastifyRequest) {
  const { code, message, problems, cause, ...known } = toRegistryError(error, request);
  if (code === 'INTERNAL') request.log.error({ err: cause }, 'request failed');
  else if (code === 'UNAVAILABLE') request.log.warn({ err: cause }, 'request could not be served');
  const status = errorStatus[code];
  const retryAfterSeconds = known.retryAfterSeconds ?? (status === 503 ? RETRY_AFTER_SECONDS : undefined);
  return { status, body: { error: message, code, ...(problems.length > 0 && { problems }) }, retryAfterSeconds };
}

/** @param allowed the methods of the path; empty when there is no such path */
export function sendUnknownRoute(request: FastifyRequest, reply: FastifyReply, allowed: readonly string[]) {
  const { method, url } = request;
  const path = url.split('?', 1)[0];
  if (allowed.length === 0 || allowed.includes(method)) {
    return sendError(new RegistryError('NOT_FOUND', `Unknown route: ${method} ${path}`), request, reply);
  }
  reply.header('allow', allowed.join(', '));
  const message = `${path} has no ${method}, only ${allowed.join(', ')}.`;
  return sendError(new RegistryError('METHOD_NOT_ALLOWED', message), request, reply);
}

function toRegistryError(error: unknown, request: FastifyRequest): RegistryError {
  if (error instanceof RegistryError) return error;
  if (error instanceof LostJobError) return withDefaultMessage('UNAVAILABLE', error);
  // Fastify's fields are undefined in all other errors.
  return error instanceof Error ? fromFastifyError(error as FastifyError, request) : internalError(error);
}

function fromFastifyError(error: FastifyError, request: FastifyRequest): RegistryError {
  if (transientCodes.includes(error.code)) return withDefaultMessage('UNAVAILABLE', error);
  if (error.validation) return validationError(error, request);
  if (error.code === 'FST_ERR_HANDLER_TIMEOUT') {
    return withDefaultMessage(request.raw.complete ? 'UNAVAILABLE' : 'REQUEST_TIMEOUT', error);
  }
  if (unreadablePathCodes.includes(error.code) && manifestPath.test(request.url)) {
    return new RegistryError('NOT_FOUND', 'Manifest not found.', { cause: error });
  }
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) return withDefaultMessage(codeByStatus[status] ?? 'BAD_REQUEST', error);
  return internalError(error);
}

function internalError(cause: unknown): RegistryError {
  return new RegistryError('INTERNAL', 'Something went wrong on our side.', { cause });
}

function withDefaultMessage(code: ErrorCode, cause?: unknown): RegistryError {
  return new RegistryError(code, defaultMessages[code] ?? code, { cause });
}

interface ParserError {
  readonly code?: string | undefined;
  readonly rawPacket?: unknown;
}

/** Responds to what never became a request: the HTTP parser rejected it, or it took too long to arrive. */
export function sendParserError(error: ParserError, socket: Duplex, requestId: string): void {
  const { code, message } = withDefaultMessage(parserErrorCode(error));
  const status = errorStatus[code];
  const body = JSON.stringify({ error: message, code });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      ...Object.entries(standardHeaders(requestId)).map(([name, value]) => `${name}: ${value}`),
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

function parserErrorCode({ code, rawPacket }: ParserError): ErrorCode {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'REQUEST_TIMEOUT';
  if (code !== 'HPE_HEADER_OVERFLOW') return 'BAD_REQUEST';
  const isInFirstLine =
    Buffer.isBuffer(rawPacket) && /^[A-Z]+ /.test(rawPacket.toString('latin1', 0, 16)) && !rawPacket.includes('\r\n');
  return isInFirstLine ? 'URI_TOO_LONG' : 'HEADERS_TOO_LARGE';
}
