// Checks that every response must pass.

import { errorStatus } from '@provenance-registry/core';
import Schema from 'typebox/schema';
import type { DescribedOperation, JsonSchema } from './document.js';
import type { FuzzRequest } from './requests.js';
import type { WireResponse } from './wire.js';

/** Codes of the HTTP layer for a path or body that belongs to no operation. */
const generalCodes = ['NOT_FOUND', 'METHOD_NOT_ALLOWED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

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
  const { error, code, ...others }: Record<string, unknown> = Object(parsed);
  if (typeof error !== 'string' || Object.keys(others).some((name) => name !== 'problems')) {
    throw new Error(`${status} with another structure: ${body}`);
  }
  if (error === '') throw new Error(`${status} without a message: ${body}`);
  // The document has one example for each code of a status.
  const declared = Object.keys(responses[String(status)]?.content?.['application/json']?.examples ?? {});
  if (request.method === method && ![...declared, ...generalCodes].includes(String(code))) {
    throw new Error(`${status} ${code} is not declared: ${body}`);
  }
  const schema = responses[String(status)]?.content?.['application/json']?.schema;
  if (schema) checkJson(schema, parsed);
  if (codes.get(code) !== status) throw new Error(`${status} with the code of another status: ${body}`);
  if (/ at .*\.js:\d+|node_modules|select .* from|duplicate key value/i.test(error))
    throw new Error(`reveals internals: ${error}`);
}

function checkSuccess({ responses }: DescribedOperation, { status, headers, body }: WireResponse): void {
  const declared = responses[String(status)];
  if (!declared) throw new Error(`${status} is not declared`);
  checkHeaders(declared.headers, headers);
  if (!declared.content) {
    if (body.length > 0) throw new Error(`${status} has a body`);
    return;
  }
  const mediaType = headers.get('content-type')?.split(';', 1)[0] ?? '';
  const content = declared.content[mediaType] ?? declared.content[mediaType.replace(/\/.*/, '/*')];
  if (!content) throw new Error(`${status} as ${mediaType} is not declared`);
  if (mediaType === 'application/json') checkJson(content.schema, JSON.parse(body.toString()));
  const line = content['x-itemSchema'];
  if (line) for (const text of body.toString().split('\n').slice(0, -1)) checkJson(line, JSON.parse(text));
}

/** Headers that the document describes wherever they are sent. */
const describedHeaders = ['location', 'link', 'etag', 'vary', 'retry-after', 'www-authenticate', 'allow'];

function checkHeaders(
  declared: Readonly<Record<string, { required?: boolean }>>,
  headers: WireResponse['headers'],
): void {
  const names = Object.keys(declared).map((name) => name.toLowerCase());
  for (const name of describedHeaders) {
    if (headers.has(name) && !names.includes(name)) throw new Error(`the header ${name} is not declared`);
  }
  for (const [name, { required }] of Object.entries(declared)) {
    if (required && !headers.has(name.toLowerCase())) throw new Error(`the header ${name} is missing`);
  }
}

const compiled = new WeakMap<JsonSchema, ReturnType<typeof Schema.Compile>>();

function checkJson(schema: JsonSchema, value: unknown): void {
  const validator = compiled.get(schema) ?? Schema.Compile(schema);
  compiled.set(schema, validator);
  const [isValid, errors] = validator.Errors(value);
  if (!isValid) throw new Error(`not as declared: ${JSON.stringify(errors[0])} ${JSON.stringify(value)}`);
}
