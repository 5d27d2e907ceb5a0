// Interprets responses: a result, a refusal, or a transient failure.

import { type ErrorBody, type ErrorCode, errorStatus } from '@provenance-registry/core';
import type { Static } from 'typebox';
import { ApiError, InvalidResponseError } from './errors.js';
import { type HttpResponse, TransientError } from './http.js';
import type { OperationId } from './operationRequest.js';
import { operations } from './operations.generated.js';
import { sanitize } from './sanitize.js';

/** The schemas of results, and what checks them: far more than the rest of the client, and not needed before the first call. */
export function loadResultChecks() {
  return import('./resultChecks.js');
}

/** The validated result, or undefined for operations without one. */
export async function parseResult(id: OperationId, response: HttpResponse): Promise<unknown> {
  await requireSuccess(id, response);
  const { requireResult } = await loadResultChecks();
  return requireResult(id, () =>
    operations[id].accept === undefined ? parseJson(id, response) : decodeText(response),
  );
}

/** Throws the service's refusal as ApiError, and anything that is not one of its refusals as InvalidResponseError. */
export async function requireSuccess(id: string, response: HttpResponse): Promise<void> {
  const { status } = response;
  if (isSuccess(response)) {
    requireMediaType('*/*', response);
    return;
  }
  const refusal = parseJson(id, response);
  const { isErrorBody } = await loadResultChecks();
  if (!isErrorBody(refusal)) {
    throw new InvalidResponseError(`The error response (${status}) to ${id} does not have the documented form.`);
  }
  throw toApiError(status, refusal);
}

export function toApiError(status: number, { error, code, problems }: Static<typeof ErrorBody>): ApiError {
  const sanitized = problems?.map(({ path, message }) => ({ path: sanitize(path), message: sanitize(message) }));
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
