// Compiles the schemas of a route when they are first needed: those of all routes took a fifth of the start.

import AjvCompiler from '@fastify/ajv-compiler';
import createSerializerFactory from '@fastify/fast-json-stringify-compiler';
import { formats } from '@provenance-registry/core';
import type { FastifyInstance } from 'fastify';

type Validator = ReturnType<Parameters<FastifyInstance['setValidatorCompiler']>[0]>;

const validatorOptions = {
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  // Would warn on standard error about values of two types, and about files, which have none.
  strictTypes: false,
  // Our schemas are constants, which the tests of the OpenAPI document check: at each start, that took a fifth of its time.
  validateSchema: false,
  meta: false,
  // One error refuses a request; all of them would include the patterns of texts that are too long for them.
  allErrors: false,
  formats: Object.fromEntries(Object.entries(formats).map(([name, { validate }]) => [name, validate])),
};

// Servers of one process share what is compiled, because the schemas are constants; Ajv itself keeps it by schema.
const compileValidator = AjvCompiler()({}, { customOptions: validatorOptions });
const compileSerializer = createSerializerFactory()();
const serializers = new WeakMap<object, ReturnType<typeof compileSerializer>>();

/** Must be called before routes are added. */
export function compileSchemasLazily(app: FastifyInstance): void {
  app.setValidatorCompiler(({ schema }) => {
    let compiled: ReturnType<typeof compileValidator> | undefined;
    const validate: Validator = (data: unknown) => {
      compiled ??= compileValidator({ schema });
      const isValid = compiled(data);
      validate.errors = compiled.errors ?? null;
      return isValid === true;
    };
    return validate;
  });
  app.setSerializerCompiler(({ httpStatus = '', ...route }) => {
    let serialize = serializers.get(route.schema);
    return (data) => {
      if (!serialize) {
        serialize = compileSerializer({ ...route, httpStatus });
        serializers.set(route.schema, serialize);
      }
      return serialize(data);
    };
  });
}
