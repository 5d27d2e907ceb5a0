// Lists every invalid field of a request, with what is expected instead.

import {
  describeExpected,
  type FieldProblem,
  type Operation,
  RegistryError,
  uuidPattern,
} from '@provenance-registry/core';
import type { FastifyError, FastifyRequest } from 'fastify';
import type { Static, TArray, TObject, TSchema } from 'typebox';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Undefined for routes that are not in the API's declaration. */
    operation?: Operation;
    /** The largest size of a JSON body, if it is not that of all others. */
    maxJsonBytes?: number | undefined;
  }
}

interface InvalidField extends FieldProblem {
  readonly isMissing: boolean;
}

export function validationError(error: FastifyError, request: FastifyRequest): RegistryError {
  if (error.validationContext === 'params' && error.validation?.[0]?.params['pattern'] === uuidPattern) {
    return new RegistryError('NOT_FOUND', 'Nothing with this ID exists.');
  }
  return invalidFieldsError(listInvalidFields(request), 'The body');
}

function invalidFieldsError(fields: readonly InvalidField[], whole: string): RegistryError {
  const [first, ...others] = fields;
  if (!first) return new RegistryError('BAD_REQUEST', 'The request is not valid.');
  const more =
    others.length === 0 ? '' : ` ${others.length} more ${others.length === 1 ? 'field is' : 'fields are'} not valid.`;
  return new RegistryError('BAD_REQUEST', describe(first, whole) + more, {
    problems: fields.map(({ pointer, expected }) => ({ pointer, expected })),
  });
}

/** Checks an item of a body as if it were the whole body. */
export function requireValidItem<S extends TObject>(request: FastifyRequest, schema: S, item: unknown): Static<S> {
  const fields = checkFields(request, schema, item);
  // Field by field, as a body is checked.
  if (fields.length === 0) return item as Static<S>;
  throw invalidFieldsError(fields, 'The item');
}

function describe({ pointer, expected, isMissing }: InvalidField, whole: string): string {
  if (pointer === '') return `${whole} must be ${expected}.`;
  const name = `"${pointer.slice(1)}"`;
  return isMissing ? `${name} is missing.` : `${name} must be ${expected}.`;
}

function listInvalidFields(request: FastifyRequest): InvalidField[] {
  const { operation } = request.routeOptions.config;
  if (!operation) return [];
  const { params, query, headers, multipart } = operation;
  const body = operation.checkedBody ?? operation.body;
  return [
    ...checkFields(request, params, request.params),
    ...checkFields(request, query, request.query),
    ...checkFields(request, headers, request.headers),
    ...checkFields(request, isForm(request) ? multipart : body, request.body),
  ];
}

/**
 * Field by field, up to the first failure of each. The validator's own list of all errors would also match the patterns of
 * texts that are too long for them.
 */
function checkFields(
  request: FastifyRequest,
  schema: TObject | undefined,
  values: unknown,
  parent = '',
): InvalidField[] {
  if (!schema) return [];
  if (!isObject(values)) {
    return [{ pointer: '', expected: 'a JSON object', isMissing: false }];
  }
  const given = new Map<string, unknown>(Object.entries(values));
  return Object.entries(schema.properties).flatMap(([name, field]) => {
    const isMissing = !given.has(name);
    const value = given.get(name);
    if (isMissing ? !schema.required?.includes(name) : request.validateInput(value, field)) return [];
    const pointer = `${parent}/${name}`;
    const members = checkMembers(request, field, value, pointer);
    return members.length > 0 ? members : [{ pointer, expected: describeExpected(field), isMissing }];
  });
}

/** Finds the reasons inside of a value that is not valid, if there are any. */
function checkMembers(request: FastifyRequest, field: TSchema, value: unknown, pointer: string): InvalidField[] {
  if (hasMembers(field) && isObject(value)) return checkFields(request, field, value, pointer);
  return hasItems(field) && Array.isArray(value) ? checkItems(request, field.items, value, pointer) : [];
}

/** Up to the first item that is not valid: there may be thousands. */
function checkItems(request: FastifyRequest, schema: TSchema, items: unknown[], parent: string): InvalidField[] {
  const index = items.findIndex((item) => !request.validateInput(item, schema));
  if (index < 0) return [];
  const pointer = `${parent}/${index}`;
  const members = checkMembers(request, schema, items[index], pointer);
  return members.length > 0 ? members : [{ pointer, expected: describeExpected(schema), isMissing: false }];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Also of objects that may be null, which TypeBox has no type for. */
function hasMembers(schema: TSchema): schema is TObject {
  return 'properties' in schema;
}

function hasItems(schema: TSchema): schema is TArray {
  return 'items' in schema;
}

export function isForm(request: FastifyRequest): boolean {
  return /^multipart\/form-data/i.test(request.headers['content-type'] ?? '');
}
