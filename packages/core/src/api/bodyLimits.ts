// How large the JSON body of an operation can be, by its schema. What is larger is refused before it has arrived; what has more
// values or is nested more deeply, before it is decoded.

import type { TSchema } from 'typebox';
import { isLenient } from './closedSchemas.js';
import type { Operation } from './operation.js';

export interface JsonLimits {
  readonly maxBytes: number;
  /** Of lists, objects and their members together. */
  readonly maxValues: number;
  readonly maxDepth: number;
}

/** Twice as deep as any body of ours, so that an unknown field can be named. */
const MAX_DEPTH = 12;

/** Of one code point as two escapes (`\ud83d\ude00`), which is how many clients send all but ASCII. */
const CHARACTER_BYTES = 12;
/** Of a character that no client escapes. */
const ASCII_BYTES = 1;
/** Of a fingerprint, ID, time or position, whose pattern or format sets its length: none is longer. */
const FIXED_FORM_BYTES = 66;
/** Of a number in its longest form, and of `false` and `null`. */
const NUMBER_BYTES = 24;
/** Of a value's quotes, comma, line break and indentation. */
const SEPARATOR_BYTES = 24;

/** What a body may have besides: white space, and fields that its error names. */
const spare = { bytes: 2_048, values: 128 };
/** Later editions of the resolution API may add fields, which are ignored. */
const lenientSpare = { bytes: 65_536, values: 2_048 };

/** Limits of the JSON body of an operation: of an empty object if it takes none. */
export function jsonLimitsOf(operation: Pick<Operation, 'path' | 'body' | 'maxJsonBytes'>): JsonLimits {
  const { bytes, values } = operation.body ? measure(operation.body) : ofValue(0);
  const more = isLenient(operation) ? lenientSpare : spare;
  return {
    maxBytes: operation.maxJsonBytes ?? bytes + more.bytes,
    maxValues: values + more.values,
    maxDepth: MAX_DEPTH,
  };
}

interface Size {
  readonly bytes: number;
  readonly values: number;
}

interface Node extends TSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Node[];
}

/** The largest value that the schema allows. */
function measure({ properties, items, maxItems, anyOf, enum: choices, ...schema }: Node): Size {
  if (anyOf) return largest(anyOf.map(measure));
  if (choices) return largest(choices.map((choice) => ofValue(JSON.stringify(choice).length)));
  if (properties) return add(Object.entries(properties).map(([name, field]) => withName(name, measure(field))));
  if (items) return repeat(measure(items), maxItems);
  const types = [schema.type ?? []].flat();
  return types.includes('string') ? ofValue(textBytes(schema)) : ofValue(NUMBER_BYTES);
}

function textBytes({ maxLength, pattern }: Node): number {
  if (maxLength === undefined) return FIXED_FORM_BYTES;
  return maxLength * (isAscii(pattern) ? ASCII_BYTES : CHARACTER_BYTES);
}

/** Whether the pattern names all characters that it allows, and only those of ASCII. */
function isAscii(pattern = '.'): boolean {
  return /^[\x20-\x7e]*$/.test(pattern) && !/\[\^|\.|\\[WDSpP]/.test(pattern);
}

function repeat(item: Size, count: number | undefined): Size {
  if (count === undefined) throw new Error('a list in a request has no maximum');
  return { bytes: SEPARATOR_BYTES + count * item.bytes, values: 1 + count * item.values };
}

function withName(name: string, { bytes, values }: Size): Size {
  return { bytes: SEPARATOR_BYTES + name.length + bytes, values };
}

function add(members: readonly Size[]): Size {
  return {
    bytes: members.reduce((sum, { bytes }) => sum + bytes, SEPARATOR_BYTES),
    values: members.reduce((sum, { values }) => sum + values, 1),
  };
}

function ofValue(bytes: number): Size {
  return { bytes: bytes + SEPARATOR_BYTES, values: 1 };
}

function largest(sizes: readonly Size[]): Size {
  return {
    bytes: Math.max(...sizes.map(({ bytes }) => bytes)),
    values: Math.max(...sizes.map(({ values }) => values)),
  };
}
