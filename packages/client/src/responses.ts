// Interprets responses: a result, a refusal, or a transient failure.

import { ErrorBody, type ErrorCode, errorStatus, type Operation } from '@provenance-registry/core';
import type { Static, TSchema } from 'typebox';
// Interpreted, so that it works under a Content-Security-Policy without 'unsafe-eval'. `typebox/value` does the same
// and takes three times as long to load.
import { Check, Errors } from 'typebox/schema';
import { ApiError, InvalidResponseError } from './errors.js';
import { type HttpResponse, TransientError } from './http.js';
import { sanitize } from './sanitize.js';

/** The validated result, or undefined for operations without one. */
export function parseResult({ id, success }: Operation, response: HttpResponse): unknown {
  requireSuccess(id, response);
  if (!success.schema) return undefined;
  const result = success.mediaType ? decodeText(response) : parseJson(id, response);
  if (!Check(success.schema, result)) {
    throw new InvalidResponseError(
      `The response to ${id} does not have the documented form${describeMissing(success.schema, result)}.`,
    );
  }
  return result;
}

/** Services of earlier versions do not send the fields that were added since. */
function describeMissing(schema: TSchema, result: unknown): string {
  const [, problems] = Errors(schema, result);
  const missing = problems.flatMap((problem) =>
    problem.keyword === 'required' ? problem.params.requiredProperties : [],
  );
  if (missing.length === 0) return '';
  return `: it lacks ${[...new Set(missing)].join(', ')}. The service may be of an earlier version than this client`;
}

/** Throws the service's refusal as ApiError, and anything that is not one of its refusals as InvalidResponseError. */
export function requireSuccess(id: string, response: HttpResponse): void {
  const { status } = response;
  if (isSuccess(response)) {
    requireMediaType('*/*', response);
    return;
  }
  const refusal = parseJson(id, response);
  if (!Check(ErrorBody, refusal)) {
    throw new InvalidResponseError(`The error response (${status}) to ${id} does not have the documented form.`);
  }
  throw toApiError(status, refusal);
}

export function toApiError(status: number, { error, code, problems }: Static<typeof ErrorBody>): ApiError {
  const sanitized = problems?.map(({ pointer, expected }) => ({
    pointer: sanitize(pointer),
    expected: sanitize(expected),
  }));
  return new ApiError(toErrorCode(code, status), status, sanitize(error), sanitized);
}

/** Requires the response to be a file, which may be on servers whose error bodies have any form. */
export function requireFile(url: string, response: HttpResponse): void {
  const { status } = response;
  if (!isSuccess(response)) throw new ApiError(toErrorCode('', status), status, `${url} responded with ${status}.`);
}

/** Downloads that are web pages come from a login page of the network or from a server that is not the registry's. */
export function requireMediaType(accepted: string, response: HttpResponse): void {
  const mediaType = readMediaType(response);
  if (accepted === '*/*' ? mediaType === 'text/html' : mediaType !== accepted) throw wrongMediaTypeError(response);
}

function wrongMediaTypeError(response: HttpResponse): InvalidResponseError {
  const { origin, href } = new URL(response.url);
  const mediaType = readMediaType(response);
  if (mediaType !== 'text/html') {
    return new InvalidResponseError(`${href} is of type ${mediaType || 'unknown'}, not what was asked for.`);
  }
  return new InvalidResponseError(
    `${origin} responded with a web page instead of data. Does your network ask you to log in, or is this the URL of another service?`,
  );
}

/** Reads the media type without parameters such as the character set. */
export function readMediaType({ headers }: HttpResponse): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function isSuccess({ status, headers }: HttpResponse): boolean {
  if (status >= 500) throw new TransientError(`the service responded with ${status}`, parseRetryAfter(headers));
  return status >= 200 && status < 300;
}

function parseJson(id: string, response: HttpResponse): unknown {
  try {
    return JSON.parse(decodeText(response));
  } catch (cause) {
    if (readMediaType(response) === 'text/html') throw wrongMediaTypeError(response);
    throw new InvalidResponseError(`The response (${response.status}) to ${id} is not JSON.`, { cause });
  }
}

function decodeText({ body }: HttpResponse): string {
  return new TextDecoder().decode(body);
}

/** Codes added by later versions of the service map to a known one with the same status. */
function toErrorCode(code: string, status: number): ErrorCode {
  const codes = Object.keys(errorStatus).filter((name): name is ErrorCode => name in errorStatus);
  return codes.find((name) => name === code) ?? codes.find((name) => errorStatus[name] === status) ?? 'BAD_REQUEST';
}

/** Milliseconds. The date form is ignored, since clocks differ. */
function parseRetryAfter(headers: Headers): number {
  const seconds = headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1000 : 0;
}
