// The one place where failures become answers: `{error, code}` with the status that belongs to the code.

import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, errorStatus, RegistryError, uuidPattern } from '@provenance-registry/core';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

/** Advice for clients that are told to come back. */
export const RETRY_AFTER_SECONDS = 2;

const codeOfStatus: Partial<Record<number, ErrorCode>> = {
  404: 'NOT_FOUND',
  408: 'REQUEST_TIMEOUT',
  413: 'PAYLOAD_TOO_LARGE',
  414: 'URI_TOO_LONG',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

const sentences: Partial<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'The request is malformed.',
  NOT_FOUND: 'There is nothing here.',
  REQUEST_TIMEOUT: 'The request took too long to arrive.',
  PAYLOAD_TOO_LARGE: 'The body is larger than this operation takes.',
  URI_TOO_LONG: 'The address is longer than this server reads.',
  UNSUPPORTED_MEDIA_TYPE: 'The body must be application/json.',
  HEADERS_TOO_LARGE: "The request's headers are larger than this server reads.",
  UNAVAILABLE: 'The service could not answer in time.',
};

/** On every answer. What the router or the parser refuses has passed no hook, and gets them here. */
export function standardHeaders(requestId: string) {
  return {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  };
}

export function answerError(error: FastifyError | RegistryError, request: FastifyRequest, reply: FastifyReply) {
  const { code, message, cause } = asRegistryError(error, request);
  const status = errorStatus[code];
  if (code === 'INTERNAL') request.log.error({ err: cause }, 'request failed');
  else if (code === 'UNAVAILABLE') request.log.warn({ err: cause }, 'request could not be served');
  reply.headers(standardHeaders(request.id));
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (status === 503) reply.header('retry-after', RETRY_AFTER_SECONDS);
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ error: message, code }));
}

export function answerUnknownPath(request: FastifyRequest, reply: FastifyReply) {
  const path = request.url.split('?', 1)[0];
  return answerError(new RegistryError('NOT_FOUND', `There is no ${request.method} ${path} here.`), request, reply);
}

function asRegistryError(error: FastifyError | RegistryError, request: FastifyRequest): RegistryError {
  if (error instanceof RegistryError) return error;
  if (error.validation) return invalid(error);
  if (error.code === 'FST_ERR_HANDLER_TIMEOUT') {
    return withSentence(request.raw.complete ? 'UNAVAILABLE' : 'REQUEST_TIMEOUT', error);
  }
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) return withSentence(codeOfStatus[status] ?? 'BAD_REQUEST', error);
  return new RegistryError('INTERNAL', 'Something went wrong on our side.', { cause: error });
}

function withSentence(code: ErrorCode, cause?: unknown): RegistryError {
  return new RegistryError(code, sentences[code] ?? code, { cause });
}

/** The first thing that is wrong with the values, in a sentence. */
function invalid(error: FastifyError): RegistryError {
  const [problem] = error.validation ?? [];
  if (error.validationContext === 'params' && problem?.params['pattern'] === uuidPattern) {
    return new RegistryError('NOT_FOUND', 'There is nothing with this id.');
  }
  const path = problem?.instancePath.slice(1).replaceAll('/', '.');
  const field = path ? `"${path}"` : 'The body';
  const { missingProperty, allowedValues } = problem?.params ?? {};
  const message = {
    required: `"${missingProperty}" is missing.`,
    pattern: `${field} is not well-formed.`,
    enum: `${field} must be one of ${Array.isArray(allowedValues) ? allowedValues.join(', ') : ''}.`,
  }[problem?.keyword ?? ''];
  return new RegistryError('BAD_REQUEST', message ?? `${field} ${problem?.message ?? 'is not valid'}.`);
}

interface ParserError {
  readonly code?: string | undefined;
  readonly rawPacket?: unknown;
}

/** Answers what never became a request: what the HTTP parser refused, or what took too long to arrive. */
export function answerClientError(error: ParserError, socket: Duplex, requestId: string): void {
  const { code, message } = withSentence(codeOfParserError(error));
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

function codeOfParserError({ code, rawPacket }: ParserError): ErrorCode {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'REQUEST_TIMEOUT';
  if (code !== 'HPE_HEADER_OVERFLOW') return 'BAD_REQUEST';
  const inFirstLine =
    Buffer.isBuffer(rawPacket) && /^[A-Z]+ /.test(rawPacket.toString('latin1', 0, 16)) && !rawPacket.includes('\r\n');
  return inFirstLine ? 'URI_TOO_LONG' : 'HEADERS_TOO_LARGE';
}
