// Lists the invalid fields of a request, with what is expected instead.

import {
  describeExpected,
  type FieldProblem,
  type JsonLimits,
  type Operation,
  RegistryError,
  uuidPattern,
} from '@provenance-registry/core';
import type { FastifyError, FastifyRequest } from 'fastify';
import type { Static, TArray, TObject, TSchema } from 'typebox';
import { findUnknownFields } from './unknownFields.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Undefined for routes that are not in the API's declaration. */
    operation?: Operation;
    jsonLimits?: JsonLimits;
  }
}

export function validationError(error: FastifyError, request: FastifyRequest): RegistryError {
  if (error.validationContext === 'params' && error.validation?.[0]?.params['pattern'] === uuidPattern) {
    return new RegistryError('NOT_FOUND', 'Nothing with this ID exists.');
  }
  return problemsError(listProblems(request));
}

function problemsError(problems: readonly FieldProblem[]): RegistryError {
  const [first, ...others] = problems;
  if (!first) return new RegistryError('BAD_REQUEST', 'The request is not valid.');
  const more =
    others.length === 0 ? '' : ` ${others.length} more ${others.length === 1 ? 'field is' : 'fields are'} not valid.`;
  return new RegistryError('BAD_REQUEST', first.message + more, { problems });
}

/** Checks an item of a body as if it were the whole body. */
export function requireValidItem<S extends TObject>(request: FastifyRequest, schema: S, item: unknown): Static<S> {
  const problems = checkWhole(request, schema, item, 'The item');
  // Field by field, as a body is checked.
  if (problems.length === 0) return item as Static<S>;
  throw problemsError(problems);
}

/** Of an operation that takes no body: a field in one would be ignored. */
export function requireNoFields(body: unknown): void {
  const problems = isObject(body) ? findUnknownFields(body, {}, '') : [];
  if (problems.length > 0) throw problemsError(problems);
}

function listProblems(request: FastifyRequest): FieldProblem[] {
  const { operation } = request.routeOptions.config;
  if (!operation) return [];
  const { params, query, headers, multipart } = operation;
  const body = operation.checkedBody ?? operation.body;
  return [
    ...checkWhole(request, params, request.params),
    ...checkWhole(request, query, request.query),
    ...checkWhole(request, headers, request.headers),
    ...checkWhole(request, isForm(request) ? multipart : body, request.body),
  ];
}

function checkWhole(
  request: FastifyRequest,
  schema: TObject | undefined,
  values: unknown,
  name = 'The body',
): FieldProblem[] {
  if (!schema) return [];
  if (!isObject(values)) return [{ path: '', message: `${name} must be a JSON object.` }];
  return checkFields(request, schema, values, '');
}

/**
 * Field by field, up to the first failure of each. The validator's own list of all errors would also match the patterns of
 * texts that are too long for them.
 */
function checkFields(request: FastifyRequest, schema: ObjectSchema, values: object, parent: string): FieldProblem[] {
  const { properties, required, additionalProperties } = schema;
  const unknown = additionalProperties === false ? findUnknownFields(values, properties, parent) : [];
  const given = new Map<string, unknown>(Object.entries(values));
  const invalid = Object.entries(properties).flatMap(([name, field]) => {
    const path = `${parent}/${name}`;
    if (given.has(name)) return checkValue(request, field, given.get(name), path);
    return required?.includes(name) ? [{ path, message: `"${path.slice(1)}" is missing.` }] : [];
  });
  return [...unknown, ...invalid];
}

function checkValue(request: FastifyRequest, schema: TSchema, value: unknown, path: string): FieldProblem[] {
  if (request.validateInput(value, schema)) return [];
  const members = checkMembers(request, schema, value, path);
  return members.length > 0 ? members : [{ path, message: `"${path.slice(1)}" must be ${describeExpected(schema)}.` }];
}

/** Finds the reasons inside of a value that is not valid, if there are any. */
function checkMembers(request: FastifyRequest, schema: TSchema, value: unknown, path: string): FieldProblem[] {
  if (hasMembers(schema) && isObject(value)) return checkFields(request, schema, value, path);
  return hasItems(schema) && Array.isArray(value) ? checkItems(request, schema.items, value, path) : [];
}

/** Up to the first item that is not valid: there may be thousands. */
function checkItems(request: FastifyRequest, schema: TSchema, items: unknown[], parent: string): FieldProblem[] {
  for (const [index, item] of items.entries()) {
    const problems = checkValue(request, schema, item, `${parent}/${index}`);
    if (problems.length > 0) return problems;
  }
  return [];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface ObjectSchema extends TObject {
  readonly additionalProperties?: unknown;
}

/** Also of objects that may be null, which TypeBox has no type for. */
function hasMembers(schema: TSchema): schema is ObjectSchema {
  return 'properties' in schema;
}

function hasItems(schema: TSchema): schema is TArray {
  return 'items' in schema;
}

export function isForm(request: FastifyRequest): boolean {
  return /^multipart\/form-data/i.test(request.headers['content-type'] ?? '');
}
