// Checks that every response must pass.

import { errorStatus } from '@provenance-registry/core';
import Schema from 'typebox/schema';
import type { DescribedOperation, JsonSchema } from './document.js';
import type { FuzzRequest } from './requests.js';
import type { WireResponse } from './wire.js';

/** Codes of the HTTP layer for a path or body that belongs to no operation. */
const generalCodes = ['NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

const standardHeaders = ['x-request-id', 'x-content-type-options', 'referrer-policy', 'cache-control'];

const codes = new Map<unknown, number>(Object.entries(errorStatus));

/** Throws on the first problem. */
export function checkResponse(
  operation: DescribedOperation,
  request: FuzzRequest,
  answer: WireResponse | undefined,
): void {
  if (!answer) {
    if (request.isWellFramed) throw new Error('no response');
    return;
  }
  const { status, headers } = answer;
  if (status >= 500) throw new Error(`${status}: ${answer.body}`);
  for (const name of standardHeaders) {
    if (!headers.has(name)) throw new Error(`${status} without ${name}`);
  }
  for (const name of headers.keys()) {
    if (name.includes('injected')) throw new Error(`the header ${name} came from the request`);
  }
  if (status >= 400) checkError(operation, request, answer);
  else if (request.method === operation.method) checkSuccess(operation, answer);
}

function checkError({ responses, method }: DescribedOperation, request: FuzzRequest, answer: WireResponse): void {
  const { status, headers, body } = answer;
  if (status === 401 && !headers.has('www-authenticate')) throw new Error('401 without www-authenticate');
  if (request.method === 'HEAD') return;
  // A mutated path may be that of a page, which has a 404 in HTML.
  if (status === 404 && headers.get('content-type')?.startsWith('text/html')) return;
  if (headers.get('content-type') !== 'application/json; charset=utf-8') {
    throw new Error(`${status} as ${headers.get('content-type')}: ${body}`);
  }
  const parsed: unknown = JSON.parse(body.toString());
  if (typeof parsed !== 'object' || parsed === null || Object.keys(parsed).sort().join() !== 'code,error') {
    throw new Error(`${status} with another structure: ${body}`);
  }
  const { error, code } = Object.fromEntries(Object.entries(parsed));
  if (typeof error !== 'string' || error === '') throw new Error(`${status} without a message: ${body}`);
  // The document has one example for each code of a status.
  const declared = Object.keys(responses[String(status)]?.content?.['application/json']?.examples ?? {});
  if (request.method === method && ![...declared, ...generalCodes].includes(String(code))) {
    throw new Error(`${status} ${code} is not declared: ${body}`);
  }
  if (codes.get(code) !== status) throw new Error(`${status} with the code of another status: ${body}`);
  if (/ at .*\.js:\d+|node_modules|select .* from|duplicate key value/i.test(error))
    throw new Error(`reveals internals: ${error}`);
}

const compiled = new WeakMap<JsonSchema, ReturnType<typeof Schema.Compile>>();

function checkSuccess({ responses }: DescribedOperation, { status, headers, body }: WireResponse): void {
  const declared = responses[String(status)];
  if (!declared) throw new Error(`${status} is not declared`);
  if (!declared.content) {
    if (body.length > 0) throw new Error(`${status} has a body`);
    return;
  }
  const [[mediaType = '', { schema } = { schema: {} }] = []] = Object.entries(declared.content);
  if (mediaType !== 'application/json' || !headers.get('content-type')?.startsWith('application/json')) return;
  const validator = compiled.get(schema) ?? Schema.Compile(schema);
  compiled.set(schema, validator);
  const [isValid, errors] = validator.Errors(JSON.parse(body.toString()));
  if (!isValid) throw new Error(`${status} is not as declared: ${JSON.stringify(errors[0])} ${body}`);
}
