// Compiles the schemas of a route when they are first needed: those of all routes took a fifth of the start.

import AjvCompiler, { type Options } from '@fastify/ajv-compiler';
import createSerializerFactory from '@fastify/fast-json-stringify-compiler';
import type { FastifyInstance } from 'fastify';

type Validator = ReturnType<Parameters<FastifyInstance['setValidatorCompiler']>[0]>;

/** To be called before routes are added. */
export function compileSchemasLazily(app: FastifyInstance, validatorOptions: Options): void {
  const compileValidator = AjvCompiler()({}, { customOptions: validatorOptions });
  const compileSerializer = createSerializerFactory()();
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
    let serialize: ReturnType<typeof compileSerializer> | undefined;
    return (data) => {
      serialize ??= compileSerializer({ ...route, httpStatus });
      return serialize(data);
    };
  });
}
