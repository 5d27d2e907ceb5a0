// Requests whose objects have no other members than those declared: a misspelled optional field must be an error, not a
// silent default.

import type { TSchema } from 'typebox';
import type { Operation } from './operation.js';

/** Clients of the resolution API follow later editions of its specification, which may add fields. */
export function isLenient({ path }: Pick<Operation, 'path'>): boolean {
  return path.startsWith('/api/c2pa/');
}

type Request = Pick<Operation, 'path' | 'body' | 'checkedBody' | 'multipart' | 'lines'>;

/** The schemas of the request, to replace those that were declared. */
export function closeRequest({ path, body, checkedBody, multipart, lines }: Request) {
  if (isLenient({ path })) return {};
  return {
    ...(body && { body: closeObjects(body) }),
    ...(checkedBody && { checkedBody: closeObjects(checkedBody) }),
    ...(multipart && { multipart: closeObjects(multipart) }),
    ...(lines && { lines: { ...lines, item: closeObjects(lines.item) } }),
  };
}

interface Node extends TSchema {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
}

/** A copy: responses use some of the same schemas, and later versions may add members to those. */
function closeObjects<S extends TSchema>(schema: S): S {
  const { properties, items, anyOf }: Node = schema;
  return {
    ...(properties && { additionalProperties: false }),
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, closeObjects(field)])),
    }),
    ...(items && { items: closeObjects(items) }),
    ...(anyOf && { anyOf: anyOf.map(closeObjects) }),
  };
}
