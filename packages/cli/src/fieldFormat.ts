// `--format`: prints chosen fields of each result, by their names in the JSON.

import { UsageError } from './errors.js';
import { type Piece, Text, text } from './text.js';

/** Text, or the names that lead to a field: `['mark', 'name']`. */
type FormatPart = Text | readonly string[];
export type FieldFormat = readonly FormatPart[];

const TAB = text`\t`;
const LINE_BREAK = text`\n`;
const FIELD = /^\w+(?:\.\w+)*$/;

/** Parses a template such as `{id} {mark.name}`, or names such as `id,mark.name`, which are separated by tabs. */
export function parseFieldFormat(given: string): FieldFormat {
  if (!/[{}]/.test(given)) {
    return given.split(',').flatMap((name, index) => [...(index === 0 ? [] : [TAB]), parseField(name.trim())]);
  }
  return given.split(/(\{[^{}]*\}|\\t|\\n)/).map((part) => {
    if (part === '\\t') return TAB;
    if (part === '\\n') return LINE_BREAK;
    if (part.startsWith('{') && part.endsWith('}')) return parseField(part.slice(1, -1));
    if (/[{}]/.test(part)) throw new UsageError(`--format: '${given}' has a brace without its counterpart.`);
    return text`${part}`;
  });
}

function parseField(name: string): readonly string[] {
  if (FIELD.test(name)) return name.split('.');
  throw new UsageError(`--format: '${name}' is not the name of a field. Use id,name or '{id} {name}'.`);
}

/** A field that is absent or null is empty; objects and lists are JSON. */
export function formatFieldsOf(result: unknown, format: FieldFormat): Text {
  let line: Piece = '';
  for (const part of format) line = text`${line}${part instanceof Text ? part : toPiece(readField(result, part))}`;
  return text`${line}`;
}

function readField(result: unknown, path: readonly string[]): unknown {
  let value = result;
  for (const name of path) value = Object.entries(value ?? {}).find(([key]) => key === name)?.[1];
  return value;
}

function toPiece(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
