// Bodies of JSON that are scanned while they arrive, and parsed item by item: the same values as those of the whole text.

import type { JsonLimits } from '@provenance-registry/core';
import { describe, expect, it } from 'vitest';
import { randomInt } from '../../../../../test/support/random.js';
import { parseJsonList } from './jsonLists.js';
import { JsonScanner } from './jsonScanner.js';

const limits: JsonLimits = { maxBytes: Number.POSITIVE_INFINITY, maxValues: 1_000_000, maxDepth: 12 };
const options = { member: 'items', maxItemBytes: 70_000, client: 'a client' };

/** Scans the text in chunks of any size. */
function scan(text: string, { maxChunk = 16, ...changed }: Partial<JsonLimits> & { maxChunk?: number } = {}) {
  const bytes = Buffer.from(text);
  const scanner = new JsonScanner({ ...limits, ...changed });
  for (let start = 0; start < bytes.length; ) {
    const end = start + 1 + randomInt(maxChunk);
    scanner.add(bytes.subarray(start, end));
    start = end;
  }
  return { bytes, lists: scanner.lists };
}

function parse(text: string): Promise<unknown> {
  const { bytes, lists } = scan(text);
  return parseJsonList(bytes, lists, options);
}

const long = Array.from({ length: 30_000 }, (_, index) => ({ name: `"${index}", [\\ {`, more: [index, { deep: [] }] }));

describe('a list in JSON', () => {
  it.each([
    '{"items":[]}',
    '{"items":[ \n ]}',
    '{"items":[1]}',
    ' { "items" : [ 1 , "a,]}" , { "b" : [ 2 , { } ] } , [ ] , null ] } ',
    '{"items":["\\"","\\\\",",","\\u005d\\\\\\""],"other":[1,[2]],"more":{"items":[3]}}',
    '{"other":"[1,2]","items":[{"items":[1,2]}]}',
    '{"items":[1,2],"items":[3]}',
    '{"items":[1,2],"items":5}',
    '{"items":{"a":[1,2]}}',
    '{"items":null}',
    '{}',
    '[[1,2],[3]]',
    '7',
    `{"items":[${JSON.stringify('€'.repeat(10_000))},${JSON.stringify('😀'.repeat(10_000))}]}`,
  ])('is parsed as the whole text is: %s', async (text) => {
    expect(await parse(text)).toEqual(JSON.parse(text));
  });

  it('of many items is parsed in slices, between which the event loop serves others', async () => {
    const text = JSON.stringify({ items: long });
    const { bytes, lists } = scan(text, { maxChunk: 65_536 });
    let turns = 0;
    const count = setImmediate(function again() {
      turns += 1;
      if (turns < 10_000) setImmediate(again);
    });
    const value = await parseJsonList(bytes, lists, options);
    clearImmediate(count);
    expect(value).toEqual({ items: long });
    expect(turns).toBeGreaterThanOrEqual(Math.floor(bytes.length / 65_536));
  });

  it.each([
    '',
    '{"items":[',
    '{"items":[1,]}',
    '{"items":[,1]}',
    '{"items":[1,,2]}',
    '{"items":[1 2]}',
    '{"items":[1]',
    '{"items":[1}',
    '{"items":[1}]',
    '{"items":[1]]}',
    '{"items":[1],}',
    '{"items" [1]}',
    '{"items":[tru]}',
    '{"items":[1]}x',
    `{"items":[${'0,'.repeat(40_000)}]}`,
    '{"items":["\ud800"',
  ])('that is malformed is refused: %s', async (text) => {
    await expect(parse(text)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('with keys that could change prototypes is refused, wherever they are', async () => {
    for (const text of [
      '{"items":[{"__proto__":1}]}',
      '{"items":[1],"constructor":1}',
      '{"__proto__":{"items":[]}}',
      '{"items":[{"\\u005f_proto__":1}]}',
    ]) {
      await expect(parse(text)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    }
  });

  it('with an item that is too large, or too much besides, is too large', async () => {
    for (const text of [
      JSON.stringify({ items: [1, 'a'.repeat(70_001)] }),
      JSON.stringify({ items: [1], other: 'a'.repeat(20_000) }),
      JSON.stringify({ other: 'a'.repeat(20_000) }),
      JSON.stringify({ items: [1] }) + ' '.repeat(20_000),
    ]) {
      await expect(parse(text)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    }
  });
});

describe('JSON that is scanned', () => {
  it('is refused as soon as it is nested too deeply, whatever follows', () => {
    const nested = (depth: number) => `${'{"a":['.repeat(depth / 2)}${']}'.repeat(depth / 2)}`;
    expect(() => scan(nested(12))).not.toThrow();
    expect(() => scan(nested(14))).toThrow('nested too deeply');
    expect(() => scan('['.repeat(13))).toThrow('nested too deeply');
    expect(() => scan(JSON.stringify({ text: '[{'.repeat(100) }))).not.toThrow();
    expect(() => scan('[]'.repeat(100))).not.toThrow();
  });

  it('is refused as soon as it has too many values, of lists and of objects', () => {
    const maxValues = 100;
    const list = JSON.stringify(Array.from({ length: 98 }, () => 0));
    const object = JSON.stringify(Object.fromEntries(Array.from({ length: 98 }, (_, index) => [`a${index}`, ','])));
    for (const text of [list, object]) {
      expect(() => scan(text, { maxValues })).not.toThrow();
      expect(() => scan(`[${text},1,2]`, { maxValues })).toThrow('more than 100 values');
    }
    expect(() => scan('['.repeat(3) + '0,'.repeat(100), { maxValues })).toThrow('more than 100 values');
  });
});
