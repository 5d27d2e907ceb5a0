// What an answer says: the result, a refusal, or trouble on the way.

import { ErrorBody, type ErrorCode, errorStatus, type Operation } from '@provenance-registry/core';
// Interpreted: a page whose policy forbids making code from text can use it. Not `typebox/value`, which is the same and
// takes three times as long to load.
import { Check } from 'typebox/schema';
import { ApiError, InvalidResponseError } from './errors.js';
import { Fault, type Received } from './exchange.js';
import { plain } from './sanitize.js';

/** The answer's result, or undefined when it has none; throws whatever it says instead. */
export function resultOf({ id, success }: Operation, answer: Received): unknown {
  requireSuccess(id, answer);
  if (!success.schema) return undefined;
  const result = success.mediaType ? textOf(answer) : jsonOf(id, answer);
  if (!Check(success.schema, result)) throw new InvalidResponseError(`The answer to ${id} is not in its form.`);
  return result;
}

/** Throws what an answer that is no success says. A refusal that is not in our form is none of this service. */
export function requireSuccess(id: string, answer: Received): void {
  const { status } = answer;
  if (isSuccess(answer)) return;
  const refusal = jsonOf(id, answer);
  if (!Check(ErrorBody, refusal))
    throw new InvalidResponseError(`The refusal (${status}) of ${id} is not in its form.`);
  throw new ApiError(codeOf(refusal.code, status), status, plain(refusal.error));
}

/** As above, of any server: files may be published elsewhere. */
export function requireFile(url: string, answer: Received): void {
  const { status } = answer;
  if (!isSuccess(answer)) throw new ApiError(codeOf('', status), status, `${url} answered ${status}.`);
}

function isSuccess({ status, headers }: Received): boolean {
  if (status >= 500) throw new Fault(`the service answered ${status}`, retryAfterMs(headers));
  return status >= 200 && status < 300;
}

function jsonOf(id: string, answer: Received): unknown {
  try {
    return JSON.parse(textOf(answer));
  } catch (cause) {
    throw new InvalidResponseError(`The answer (${answer.status}) to ${id} is not JSON.`, { cause });
  }
}

function textOf({ body }: Received): string {
  return new TextDecoder().decode(body);
}

/** A code that a later service may have is known by its status at least. */
function codeOf(code: string, status: number): ErrorCode {
  const codes = Object.keys(errorStatus).filter((name): name is ErrorCode => name in errorStatus);
  return codes.find((name) => name === code) ?? codes.find((name) => errorStatus[name] === status) ?? 'BAD_REQUEST';
}

/** Seconds; the form with a date is left alone, since clocks differ. */
function retryAfterMs(headers: Headers): number {
  const seconds = headers.get('retry-after') ?? '';
  return /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1000 : 0;
}
