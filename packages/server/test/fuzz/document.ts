// The operations of the service, read from its published OpenAPI document.

import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';

/** The keywords of JSON Schema that the document uses. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

const Schema = Type.Unsafe<JsonSchema>({ type: 'object' });
const Content = Type.Record(
  Type.String(),
  Type.Object({
    schema: Schema,
    /** Of each line. */
    'x-itemSchema': Type.Optional(Schema),
    examples: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
);
const Parameter = Type.Object({
  name: Type.String(),
  in: Type.Union([Type.Literal('path'), Type.Literal('query'), Type.Literal('header')]),
  required: Type.Boolean(),
  schema: Schema,
});
const Described = Type.Object({
  operationId: Type.String(),
  security: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  parameters: Type.Optional(Type.Array(Parameter)),
  requestBody: Type.Optional(Type.Object({ content: Content })),
  responses: Type.Record(
    Type.String(),
    Type.Object({
      content: Type.Optional(Content),
      headers: Type.Record(Type.String(), Type.Object({ required: Type.Optional(Type.Boolean()) })),
    }),
  ),
});
const Document = Type.Object({
  paths: Type.Record(Type.String(), Type.Record(Type.String(), Described)),
});

export interface DescribedOperation extends Static<typeof Described> {
  readonly method: string;
  readonly path: string;
}

export async function readDocument(serviceUrl: string): Promise<DescribedOperation[]> {
  const text: unknown = await (await fetch(`${serviceUrl}/api/openapi.json`)).json();
  const { paths } = Value.Parse(Document, withoutReferences(text, text));
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ ...described, method: method.toUpperCase(), path })),
  );
}

function withoutReferences(part: unknown, whole: unknown): unknown {
  if (Array.isArray(part)) return part.map((item) => withoutReferences(item, whole));
  if (typeof part !== 'object' || part === null) return part;
  if ('$ref' in part && typeof part.$ref === 'string') return withoutReferences(lookUp(part.$ref, whole), whole);
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, withoutReferences(value, whole)]));
}

function lookUp(reference: string, whole: unknown): unknown {
  let part = whole;
  for (const key of reference.split('/').slice(1)) {
    part =
      typeof part === 'object' && part !== null ? Object.entries(part).find(([name]) => name === key)?.[1] : undefined;
  }
  return part;
}
