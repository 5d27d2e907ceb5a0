// Results that are long lists: written in slices, so that a page of two hundred delays other requests no more than a short one.

import type { FastifyReply } from 'fastify';
import type { TSchema } from 'typebox';
import { mapInSlices } from '../../workers/slices.js';

/** Written in a millisecond: an Artifact has three kilobytes. */
const ITEMS_PER_SLICE = 25;

interface ListSchema extends TSchema {
  readonly items?: TSchema;
  readonly properties?: Readonly<Record<string, ListSchema>>;
}

/** The result as JSON; undefined if it has no list of more than a slice. */
export async function serializeLongList(
  reply: FastifyReply,
  { items, properties = {} }: ListSchema,
  result: unknown,
  client: string,
): Promise<string | undefined> {
  if (Array.isArray(result))
    return items && isLong(result) ? `[${await writeItems(reply, items, result, client)}]` : undefined;
  const members = Object.entries(Object(result));
  for (const [name, list] of members) {
    const itemSchema = properties[name]?.items;
    if (!itemSchema || !isLong(list)) continue;
    const rest = members.map(([other, value]) => [other, other === name ? [] : value]);
    const place = `${JSON.stringify(name)}:[`;
    const [before, after, ...more] = String(reply.serialize(Object.fromEntries(rest))).split(`${place}]`);
    // Another member may have an empty list of that name.
    if (after === undefined || more.length > 0) return undefined;
    return `${before}${place}${await writeItems(reply, itemSchema, list, client)}]${after}`;
  }
  return undefined;
}

async function writeItems(
  reply: FastifyReply,
  schema: TSchema,
  items: readonly unknown[],
  client: string,
): Promise<string> {
  // A schema is an object of any members.
  const serialize = reply.compileSerializationSchema(schema as Record<string, unknown>);
  // Of the schema's type: the route's own serializer relies on that as well.
  const texts = await mapInSlices(client, items, ITEMS_PER_SLICE, (item) => serialize(item as Record<string, unknown>));
  return texts.join(',');
}

function isLong(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > ITEMS_PER_SLICE;
}
