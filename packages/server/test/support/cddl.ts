// Checks CBOR against the rules of a CDDL file, with the constructs that the C2PA's schema of soft bindings uses; and whether
// it is in the deterministic encoding of RFC 8949. Reads CBOR by itself, independently of the code under test.

import { readFileSync } from 'node:fs';

type Item =
  | { readonly kind: 'int'; readonly value: number }
  | { readonly kind: 'bytes'; readonly value: Buffer }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'array'; readonly value: readonly Item[] }
  | { readonly kind: 'map'; readonly value: readonly (readonly [Item, Item])[] }
  | { readonly kind: 'tag'; readonly value: Item }
  | { readonly kind: 'simple'; readonly value: number };

interface Read {
  readonly item: Item;
  readonly end: number;
  readonly isDeterministic: boolean;
}

/** One item and the place after it. Throws for indefinite lengths and floating-point numbers. */
function readItem(bytes: Buffer, at: number): Read {
  const [major, info] = [bytes.readUInt8(at) >> 5, bytes.readUInt8(at) & 31];
  if (info > 27 || (major === 7 && info > 23)) throw new Error('an indefinite length or a floating-point number');
  const size = info < 24 ? 0 : 2 ** (info - 24);
  const value = size === 0 ? info : Number(size === 8 ? bytes.readBigUInt64BE(at + 1) : bytes.readUIntBE(at + 1, size));
  const isShortest = size === 0 || value >= (size === 1 ? 24 : 2 ** (4 * size));
  return readContent(bytes, { major, value, start: at + 1 + size, isShortest });
}

interface Head {
  readonly major: number;
  readonly value: number;
  readonly start: number;
  readonly isShortest: boolean;
}

function readContent(bytes: Buffer, { major, value, start, isShortest }: Head): Read {
  const isDeterministic = isShortest;
  switch (major) {
    case 0:
      return { item: { kind: 'int', value }, end: start, isDeterministic };
    case 1:
      return { item: { kind: 'int', value: -1 - value }, end: start, isDeterministic };
    case 2:
      return { item: { kind: 'bytes', value: slice(bytes, start, value) }, end: start + value, isDeterministic };
    case 3:
      return { item: { kind: 'text', value: String(slice(bytes, start, value)) }, end: start + value, isDeterministic };
    case 4:
      return readArray(bytes, start, value, isShortest);
    case 5:
      return readMap(bytes, start, value, isShortest);
    case 6: {
      const inner = readItem(bytes, start);
      const isSound = isShortest && inner.isDeterministic;
      return { item: { kind: 'tag', value: inner.item }, end: inner.end, isDeterministic: isSound };
    }
    default:
      return { item: { kind: 'simple', value }, end: start, isDeterministic };
  }
}

function slice(bytes: Buffer, start: number, length: number): Buffer {
  const content = bytes.subarray(start, start + length);
  if (content.length !== length) throw new RangeError('a text is longer than its bytes');
  return content;
}

function readArray(bytes: Buffer, start: number, count: number, isShortest: boolean): Read {
  const items: Item[] = [];
  let [end, isSound] = [start, isShortest];
  for (let index = 0; index < count; index += 1) {
    const read = readItem(bytes, end);
    items.push(read.item);
    [end, isSound] = [read.end, isSound && read.isDeterministic];
  }
  return { item: { kind: 'array', value: items }, end, isDeterministic: isSound };
}

function readMap(bytes: Buffer, start: number, count: number, isShortest: boolean): Read {
  const entries: [Item, Item][] = [];
  let [end, isSound] = [start, isShortest];
  let previous = Buffer.alloc(0);
  for (let index = 0; index < count; index += 1) {
    const key = readItem(bytes, end);
    const encoded = bytes.subarray(end, key.end);
    const value = readItem(bytes, key.end);
    isSound &&= key.isDeterministic && value.isDeterministic && Buffer.compare(previous, encoded) < 0;
    previous = Buffer.from(encoded);
    entries.push([key.item, value.item]);
    end = value.end;
  }
  return { item: { kind: 'map', value: entries }, end, isDeterministic: isSound };
}

export function isDeterministic(bytes: Buffer): boolean {
  const { end, isDeterministic: isSound } = readItem(bytes, 0);
  return isSound && end === bytes.length;
}

interface Member {
  readonly name: string;
  readonly isOptional: boolean;
  /** With its quantity, an array of at least one. */
  readonly isList: boolean;
  readonly type: string;
}

/** `name = { "key": type, ? "key": [1* type], … }`, as the file has its rules; comments are left out. */
function parseRules(text: string): Map<string, Member[]> {
  const plain = text.replace(/;.*$/gm, '');
  return new Map(
    [...plain.matchAll(/([\w-]+)\s*=\s*\{([^}]*)\}/g)].map(([, name = '', body = '']) => {
      const members = body.split(',').filter((line) => line.trim() !== '');
      return [name, members.map(parseMember)];
    }),
  );
}

function parseMember(line: string): Member {
  const match = /^\s*(\?)?\s*"([\w-]+)"\s*:\s*(\[1\*\s*)?([\w-]+)[^"]*$/.exec(line);
  if (!match) throw new Error(`this rule cannot be read: ${line}`);
  const [, optional, name = '', list, type = ''] = match;
  return { name, isOptional: optional !== undefined, isList: list !== undefined, type };
}

const rules = parseRules(readFileSync(new URL('../c2pa-2.2/soft-binding.cddl', import.meta.url), 'utf8'));

/** The ways in which an assertion violates the schema of C2PA. */
export function checkSoftBinding(assertion: Buffer): string[] {
  const { item, end } = readItem(assertion, 0);
  return end === assertion.length ? findFaults(item, 'soft-binding-map', '') : ['bytes after the end'];
}

function findFaults(item: Item, type: string, path: string): string[] {
  const members = rules.get(type);
  if (members) return findMapFaults(item, members, path);
  const kinds: Record<string, Item['kind']> = { tstr: 'text', bstr: 'bytes', bytes: 'bytes', uint: 'int' };
  const expected = kinds[type];
  if (!expected) return [`${path}: the type ${type} is unknown`];
  return item.kind === expected ? [] : [`${path} is ${item.kind}, not ${type}`];
}

function findMapFaults(item: Item, members: readonly Member[], path: string): string[] {
  if (item.kind !== 'map') return [`${path} is ${item.kind}, not a map`];
  const entries = new Map(item.value.map(([key, value]) => [key.kind === 'text' ? key.value : undefined, value]));
  const unknown = [...entries.keys()].filter((key) => !members.some(({ name }) => name === key));
  return [
    ...unknown.map((key) => `${path}/${key} is unknown`),
    ...members.flatMap(({ name, isOptional, isList, type }) => {
      const value = entries.get(name);
      if (!value) return isOptional ? [] : [`${path}/${name} is missing`];
      if (!isList) return findFaults(value, type, `${path}/${name}`);
      if (value.kind !== 'array' || value.value.length === 0) return [`${path}/${name} is not a list`];
      return value.value.flatMap((one, index) => findFaults(one, type, `${path}/${name}/${index}`));
    }),
  ];
}
