// JSON Schemas as lists of fields: name, type, whether it is required, what it means, and what limits it.

import { escapeHtml, type JsonSchema } from '@provenance-registry/core';
import { renderCode, renderText } from './markup.js';
import { texts } from './texts.js';

export const OBJECTS_PATH = '/api/reference/objects';

const MAX_PATTERN = 40;

export interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

export function listFields({ properties = {}, required = [] }: JsonSchema): Field[] {
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, isRequired: required.includes(name) }));
}

/** The direction decides what is marked: the required fields of a request, those of a response that may be missing. */
export type Direction = 'request' | 'response';

export function renderFields(fields: readonly Field[], direction: Direction): string {
  if (fields.length === 0) return '';
  return `<ul class="fields">\n${fields.map((field) => renderField(field, direction)).join('\n')}\n</ul>`;
}

function renderField({ name, schema, isRequired }: Field, direction: Direction): string {
  const type = `<span class="type">${renderType(schema)}</span>`;
  const mark = renderMark(isRequired, direction);
  return `<li><code>${escapeHtml(name)}</code> ${type}${mark}${renderFacts(schema)}${renderNested(schema, direction)}</li>`;
}

function renderMark(isRequired: boolean, direction: Direction): string {
  if (direction === 'request') return isRequired ? ` <span class="required">${texts.required}</span>` : '';
  return isRequired ? '' : ` <span class="type">${texts.optional}</span>`;
}

/** What it means, and what limits it. */
export function renderFacts(schema: JsonSchema): string {
  const facts = [...(schema.description ? [renderText(schema.description)] : []), ...listConstraints(schema)];
  return facts.length === 0 ? '' : `<p>${facts.join(' ')}</p>`;
}

/** The fields of objects without a name of their own, also inside lists. */
export function renderNested(schema: JsonSchema, direction: Direction): string {
  if (schema.properties) return renderFields(listFields(schema), direction);
  if (schema.items) return renderNested(schema.items, direction);
  return (schema.anyOf ?? []).map((form) => renderNested(form, direction)).join('');
}

/** Describes a type as HTML, with links to named objects. */
export function renderType(schema: JsonSchema): string {
  const { $ref, type, items, anyOf, patternProperties, format } = schema;
  if ($ref !== undefined) return renderReference($ref);
  if (anyOf) return anyOf.map(renderType).join(texts.or);
  if (format === 'binary') return texts.file;
  if (items) return texts.arrayOf(renderType(items));
  const [values] = Object.values(patternProperties ?? {});
  if (values) return texts.mapOf(renderType(values));
  const types = typeof type === 'string' ? [type] : (type ?? [texts.anything]);
  return escapeHtml(`${types.join(texts.or)}${format === undefined ? '' : ` (${format})`}`);
}

function renderReference(reference: string): string {
  const name = escapeHtml(reference.slice(reference.lastIndexOf('/') + 1));
  return `<a href="${OBJECTS_PATH}#${name}">${name}</a>`;
}

function listConstraints(schema: JsonSchema): string[] {
  const { minLength, maxLength, minItems, maxItems, pattern, format, const: only } = schema;
  return [
    ...(schema.enum ? [texts.oneOf(schema.enum.map(renderValue).join(', '))] : []),
    ...(only === undefined ? [] : [texts.always(renderValue(only))]),
    ...describeRange(schema.minimum, schema.maximum, ''),
    ...describeRange(minLength, maxLength, texts.characters),
    ...describeRange(minItems, maxItems, texts.items),
    ...(isReadable(pattern) && format !== 'uuid' ? [texts.pattern(renderCode(pattern))] : []),
    ...(schema.default === undefined ? [] : [texts.defaultValue(renderValue(schema.default))]),
  ];
}

/** Longer ones explain nothing; the OpenAPI document has them. */
function isReadable(pattern: string | undefined): pattern is string {
  return pattern !== undefined && pattern.length <= MAX_PATTERN;
}

function describeRange(from: number | undefined, to: number | undefined, unit: string): string[] {
  // The largest exact integer is no limit that anyone meets.
  const most = to === Number.MAX_SAFE_INTEGER ? undefined : to;
  return from === undefined && most === undefined ? [] : [texts.range(format(from), format(most), unit)];
}

function format(limit: number | undefined): string | undefined {
  return limit?.toLocaleString('en-US');
}

function renderValue(value: unknown): string {
  return renderCode(typeof value === 'string' ? value : JSON.stringify(value));
}
