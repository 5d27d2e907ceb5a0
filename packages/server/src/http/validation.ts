// Lists every invalid field of a request, with what is expected instead.

import {
  describeExpected,
  type FieldProblem,
  type Operation,
  RegistryError,
  uuidPattern,
} from '@provenance-registry/core';
import type { FastifyError, FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Undefined for routes that are not in the API's declaration. */
    operation?: Operation;
  }
}

interface InvalidField extends FieldProblem {
  readonly isMissing: boolean;
}

export function validationError(error: FastifyError, request: FastifyRequest): RegistryError {
  if (error.validationContext === 'params' && error.validation?.[0]?.params['pattern'] === uuidPattern) {
    return new RegistryError('NOT_FOUND', 'Nothing with this ID exists.');
  }
  const fields = listInvalidFields(request);
  const [first, ...others] = fields;
  if (!first) return new RegistryError('BAD_REQUEST', 'The request is not valid.');
  const more =
    others.length === 0 ? '' : ` ${others.length} more ${others.length === 1 ? 'field is' : 'fields are'} not valid.`;
  return new RegistryError('BAD_REQUEST', describe(first) + more, {
    problems: fields.map(({ pointer, expected }) => ({ pointer, expected })),
  });
}

function describe({ pointer, expected, isMissing }: InvalidField): string {
  if (pointer === '') return `The body must be ${expected}.`;
  const name = `"${pointer.slice(1)}"`;
  return isMissing ? `${name} is missing.` : `${name} must be ${expected}.`;
}

function listInvalidFields(request: FastifyRequest): InvalidField[] {
  const { operation } = request.routeOptions.config;
  if (!operation) return [];
  const { params, query, headers, body, multipart } = operation;
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
function checkFields(request: FastifyRequest, schema: TObject | undefined, values: unknown): InvalidField[] {
  if (!schema) return [];
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    return [{ pointer: '', expected: 'a JSON object', isMissing: false }];
  }
  const given = new Map<string, unknown>(Object.entries(values));
  return Object.entries(schema.properties).flatMap(([name, field]) => {
    const isMissing = !given.has(name);
    if (isMissing ? !schema.required?.includes(name) : request.validateInput(given.get(name), field)) return [];
    return [{ pointer: `/${name}`, expected: describeExpected(field), isMissing }];
  });
}

export function isForm(request: FastifyRequest): boolean {
  return /^multipart\/form-data/i.test(request.headers['content-type'] ?? '');
}
