// The schemas of tools as clients see them. The SDK checks neither input nor output by them: tools check their input, so that
// all errors have one form, and results have the type of their schema already.

import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import Type, { type TObject } from 'typebox';
import type { z } from 'zod';

/** Those that validators of clients know; others would only make them warn. */
const knownFormats: ReadonlySet<string> = new Set(['date-time', 'uuid', 'uri']);

const acceptAll = (value: unknown) => ({ value });

export function toInputSchema(schema: z.ZodType): StandardSchemaWithJSON {
  return { '~standard': { ...schema['~standard'], validate: acceptAll } };
}

/** Schema with the fields of every result. */
export function toOutputSchema({ properties }: TObject) {
  const notice = Type.String({ description: 'How to read the result.' });
  const untrusted = Type.Array(Type.String(), {
    description: 'JSON pointers (RFC 6901) to texts that other users wrote.',
  });
  const schema = Type.Object({ notice, untrusted, ...properties });
  const render = () => Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, simplify(value)]));
  return {
    '~standard': {
      version: 1,
      vendor: 'typebox',
      validate: acceptAll,
      jsonSchema: { input: render, output: render },
    },
  } as const;
}

/**
 * Reduces inner fields to what a validator needs: with all descriptions, the list of tools would fill much of a model's
 * context.
 */
function simplify(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(simplify);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.entries(schema).filter(([key, value]) => typeof value !== 'string' || isKept(key, value));
  return Object.fromEntries(members.map(([key, value]) => [key, simplify(value)]));
}

function isKept(keyword: string, value: string): boolean {
  if (keyword === 'format') return knownFormats.has(value);
  return keyword !== 'title' && keyword !== 'description';
}
