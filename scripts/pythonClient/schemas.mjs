// The schemas that the Python client checks responses and bundles with: what it reads of them, one a line.

import { BundleV1, BundleV2, BundleV3 } from '../../packages/client/dist/verification/bundleFormat.js';
import { Leaf, Opening } from './leafSchemas.mjs';

/**
 * @typedef {import('@provenance-registry/core').OpenApiDocument} OpenApiDocument
 * @typedef {import('./types.mjs').JsonSchema} JsonSchema
 */

/** Keywords that `schemas.py` reads and that have no schemas in them. */
const plainKeywords = new Set(
  '$ref type const enum pattern format maxLength minimum maximum minItems maxItems required additionalProperties'.split(
    ' ',
  ),
);
/** Keywords that would need to be read, too. */
const unreadKeywords = ['oneOf', 'allOf', 'not', 'if', 'prefixItems'];

/** @param {OpenApiDocument} document */
export function renderSchemas({ paths, components }) {
  const responses = Object.values(paths)
    .flatMap((byMethod) => Object.values(byMethod))
    .flatMap(({ operationId, responses: byStatus }) => {
      const [, success] = Object.entries(byStatus).find(([status]) => status.startsWith('2')) ?? [];
      const schema = success?.content?.['application/json']?.schema;
      const line = success?.content?.['application/x-ndjson']?.['x-itemSchema'];
      return [...(schema ? [[operationId, schema]] : []), ...(line ? [[`${operationId}Line`, line]] : [])];
    });
  const bundles = { BundleV1, BundleV2, BundleV3, Leaf, Opening };
  const schemas = { ...components.schemas, ...Object.fromEntries(responses), ...bundles };
  return Object.entries(schemas)
    .map(([name, schema]) => `${JSON.stringify([name, strip(schema)])}\n`)
    .join('');
}

/** Without descriptions, titles and examples. @param {JsonSchema} schema @returns {unknown} */
function strip(schema) {
  const unread = unreadKeywords.find((keyword) => keyword in schema);
  if (unread) throw new Error(`schemas.py does not read ${unread}.`);
  const plain = Object.entries(schema).filter(([keyword]) => plainKeywords.has(keyword));
  return {
    ...Object.fromEntries(plain),
    ...(schema.anyOf && { anyOf: schema.anyOf.map(strip) }),
    ...(schema.items && { items: strip(schema.items) }),
    ...(schema.properties && { properties: stripAll(schema.properties) }),
    ...(schema.patternProperties && { patternProperties: stripAll(schema.patternProperties) }),
  };
}

/** @param {Readonly<Record<string, JsonSchema>>} schemas */
function stripAll(schemas) {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, strip(schema)]));
}
