// Values for a schema of the document: valid, almost valid and unexpected ones.

import fc from 'fast-check';
import type { JsonSchema } from './document.js';

/** Existing values by field name: without them, requests would fail at unknown IDs. */
export type Pool = Readonly<Record<string, readonly unknown[]>>;

const MAX_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const hostileTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'a\udfff\ud800b',
  '\ufffe\uffff',
  '\u202egnp.exe',
  '\u2028\u2029',
  '\u200b\u200d',
  '😀'.repeat(61),
  'é'.normalize('NFD').repeat(120),
  'Z\u0351\u036b\u0343\u036a'.repeat(30),
  'a'.repeat(121),
  'a'.repeat(255),
  'a'.repeat(256),
  'a'.repeat(1025),
  'a'.repeat(20_000),
  '<script>alert(1)</script>',
  '"><svg onload=alert(1)>',
  "'; drop table users; --",
  '%_\\%',
  '../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  '%00',
  '%',
  'a\r\nx-injected: 1',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'true',
  '-1',
  '1e999',
  '99999999999999999999',
  'NaN',
  '2026-13-45T99:99:99Z',
  '+275760-09-13T00:00:00.001Z',
  '0x',
  `0x${'F'.repeat(64)}`,
  `0x${'f'.repeat(64)}`,
  MAX_UUID,
  MAX_UUID.toUpperCase(),
  'urn:c2pa:',
  `urn:c2pa:${MAX_UUID}`,
  'image/png\r\nx-injected: 1',
  'a@b',
  '@',
] as const;

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('\ud800', '\udc00', 'a', '\0', '/', '%'), maxLength: 8 }),
);

function nested(depth: number): unknown {
  let value: unknown = [];
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** May replace any value in a body. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(null, true, false, 0, -0, -1, 1.5, 1e-9, 2 ** 31, 2 ** 53, 1e308, -1e308),
  fc.constantFrom<unknown>([], {}, [[]], [null], { length: 1 }, { toString: 1 }, { toJSON: 'a' }),
  fc.constantFrom(200, 2_000).map(nested),
  fc.constantFrom(1_000, 10_000).map((length) => Array.from({ length }, () => 0)),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Valid values, mostly from the pool. */
export function validValue(schema: JsonSchema, pool: Pool, name = ''): fc.Arbitrary<unknown> {
  const known = Object.hasOwn(pool, name) ? (pool[name] ?? []) : [];
  const made = fromSchema(schema, pool);
  return known.length === 0 ? made : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, made);
}

function fromSchema(schema: JsonSchema, pool: Pool): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => fromSchema(one, pool)));
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['object']);
  return fc.oneof(...types.map((type) => ofType(type, schema, pool)));
}

function ofType(type: string, schema: JsonSchema, pool: Pool): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return numberFor(schema);
    case 'array':
      return fc.array(fromSchema(schema.items ?? {}, pool), { maxLength: 3 });
    case 'string':
      return textFor(schema);
    default:
      return objectFor(schema, pool);
  }
}

function numberFor({ minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: JsonSchema) {
  return fc.oneof(fc.constantFrom(minimum, maximum), fc.integer({ min: minimum, max: maximum }));
}

function textFor({ pattern, minLength = 0, maxLength = 2_000 }: JsonSchema): fc.Arbitrary<string> {
  const size = { minLength, maxLength: Math.min(maxLength, minLength + 60) };
  if (pattern === undefined) {
    const longest = 'a'.repeat(maxLength);
    return fc.oneof(fc.string({ unit: 'grapheme', ...size }), fc.constant(longest));
  }
  const form = new RegExp(pattern, 'u');
  return fc
    .oneof(
      { weight: 4, arbitrary: fc.stringMatching(form) },
      fc.constantFrom('a', '😀').map((sign) => sign.repeat(maxLength)),
    )
    .filter((text) => form.test(text) && [...text].length >= minLength && [...text].length <= maxLength);
}

function objectFor({ properties = {}, required = [] }: JsonSchema, pool: Pool): fc.Arbitrary<unknown> {
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, validValue(schema, pool, name)]),
  );
  return fc.record(model, { requiredKeys: required.filter((name) => name in model) });
}

/** A valid body with one change. */
export function nearlyValid(valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const key = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'prototype', '', 'toString', 'id'), hostileText);
  const change = fc.oneof(
    fc.record({ do: fc.constant('replace' as const), at: fc.nat(20), value: hostileValue }),
    fc.record({ do: fc.constant('remove' as const), at: fc.nat(20) }),
    fc.record({ do: fc.constant('add' as const), key, value: hostileValue }),
    fc.record({ do: fc.constant('instead' as const), value: hostileValue }),
  );
  return fc.tuple(valid, change).map(([value, what]) => {
    if (what.do === 'instead' || typeof value !== 'object' || value === null)
      return 'value' in what ? what.value : null;
    const entries = Object.entries(value);
    if (what.do === 'add') return fromEntries([...entries, [what.key, what.value]]);
    const at = what.at % Math.max(1, entries.length);
    if (what.do === 'remove') return fromEntries(entries.filter((_, index) => index !== at));
    return fromEntries(entries.map(([name, old], index) => [name, index === at ? what.value : old]));
  });
}

/** `Object.fromEntries` also creates an own `__proto__`, which JSON.stringify writes. */
function fromEntries(entries: [string, unknown][]): unknown {
  return Object.fromEntries(entries);
}
