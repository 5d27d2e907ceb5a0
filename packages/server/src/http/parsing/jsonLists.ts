// Bodies of JSON that are one long list, `{"artifacts": […]}`: parsed item by item, in slices, so that the largest of them delays
// other requests no longer than a small one.

import { RegistryError } from '@provenance-registry/core';
import { runSlice } from '../../workers/slices.js';
import { parseJson } from './json.js';
import type { MemberList } from './jsonScanner.js';

/** Parsed in about a millisecond. */
const SLICE_BYTES = 65_536;
/** Of the body without its items: white space, and fields that are not known. */
const MAX_OTHER_BYTES = 16_384;

export interface JsonListOptions {
  readonly member: string;
  readonly maxItemBytes: number;
  /** Whose turn it is. */
  readonly client: string;
}

/** The value of the whole text. */
export async function parseJsonList(
  bytes: Buffer,
  lists: readonly MemberList[],
  options: JsonListOptions,
): Promise<unknown> {
  const { member } = options;
  const name = new RegExp(`^\\s*"${member}"\\s*:\\s*\\[$`);
  const list = lists.findLast(({ nameStart, start }) => name.test(bytes.toString('latin1', nameStart, start)));
  const other = list ? Buffer.concat([bytes.subarray(0, list.start), bytes.subarray(list.end)]) : bytes;
  if (other.length > MAX_OTHER_BYTES) {
    throw new RegistryError(
      'PAYLOAD_TOO_LARGE',
      `The body has more than ${MAX_OTHER_BYTES} bytes besides "${member}".`,
    );
  }
  // With an empty list.
  const value = parseJson(other);
  if (!list || typeof value !== 'object' || value === null || !Array.isArray(Reflect.get(value, member))) return value;
  return { ...value, [member]: await parseItems(bytes, list, options) };
}

async function parseItems(
  bytes: Buffer,
  { start, commas, end }: MemberList,
  { maxItemBytes, client }: JsonListOptions,
): Promise<unknown[]> {
  const isEmpty = commas.length === 0 && bytes.toString('latin1', start, end).trim() === '';
  if (isEmpty) return [];
  const values: unknown[] = [];
  /** Of the slice: where it begins, and how many items it has. */
  let [sliceStart, count] = [start, 0];
  let itemStart = start;
  for (const itemEnd of [...commas, end]) {
    if (itemEnd - itemStart > maxItemBytes) throw tooLargeError(values.length + count + 1, maxItemBytes);
    count += 1;
    itemStart = itemEnd + 1;
    if (itemEnd - sliceStart < SLICE_BYTES && itemEnd !== end) continue;
    const slice = bytes.subarray(sliceStart, itemEnd);
    const expected = count;
    values.push(...(await runSlice(client, () => parseSlice(slice, expected))));
    [sliceStart, count] = [itemStart, 0];
  }
  return values;
}

/** Between two commas there must be an item. */
function parseSlice(bytes: Buffer, count: number): unknown[] {
  const items = parseJson(Buffer.concat([Buffer.from('['), bytes, Buffer.from(']')]));
  if (Array.isArray(items) && items.length === count) return items;
  throw new RegistryError('BAD_REQUEST', 'The body is not valid JSON.');
}

function tooLargeError(item: number, maxBytes: number): RegistryError {
  return new RegistryError('PAYLOAD_TOO_LARGE', `Item ${item} of the list has more than ${maxBytes} bytes.`);
}
