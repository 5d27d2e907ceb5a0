// Bundles whose leaf is not what an honest log has, although the log signed it: only what the leaf says can be wrong.

import { manifestHashOf } from '@provenance-registry/core';
import type { Bundle } from '../../packages/client/src/index.js';
import { hideTerms, leafOf, type TestLog } from './testLog.js';

const TIMES = [
  ...['2026-02-30T00:00:00.000Z', '2024-02-29T12:00:00.000Z', '2023-02-29T12:00:00.000Z', '2026-13-01T00:00:00.000Z'],
  ...[
    '2026-11-17T24:00:00.000Z',
    '2026-11-17T23:59:60.000Z',
    '2026-11-17T12:60:00.000Z',
    '2026-11-17T12:00:00.000+00:00',
  ],
  ...['0000-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '-00001-01-01T00:00:00.000Z'],
  ...['2026-11-17t12:00:00.000z', '2026-11-17T12:00:00.0000Z', '2026-11-17T12:00:00Z', '٢٠٢٦-11-17T12:00:00.000Z', ''],
];

const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  time: TIMES,
  imported: [true, false, 1, 'true', null],
  ai: [
    [0, 0, 0, 4],
    [0, 0, 0],
    [0, 0, 0, 0, 0],
    [-1, 0, 0, 0],
    [0.5, 0, 0, 0],
    ['0', 0, 0, 0],
    [true, 0, 0, 0],
    [null],
    {},
    [],
  ],
  license: [
    'CC0-1.0',
    'NEW-1.0',
    'x'.repeat(40),
    'x'.repeat(41),
    '',
    ' ',
    'CC-BY-4.0\n',
    'é',
    '.',
    'toString',
    null,
    1,
  ],
  mark: ['', 'x', null, '00000000-0000-4000-8000-000000000000'],
  hidden: [`0x${'0'.repeat(64)}`, '0x', null],
  more: [1, null, 'x'.repeat(4_000)],
  failed: [true],
};

/** Metadata with members that this version does not know, which the hash covers all the same. */
const METADATA: readonly unknown[] = [
  ...[1e21, 1e-7, 5e-324, -0, 0.1 + 0.2, Number.MAX_VALUE, 2 ** 53, 2 ** 60, 123456789012345680000, 1 / 3, 100, 1e20],
  ...['\u2028\u2029', '\u0000\u001f\u007f\u0080', '\ud83d\ude00', '\ufffd', '"\\/\b\f\n\r\t', 'e\u0301é', '\ufeff', ''],
  { '\ud83d\ude00': 0, '\ufb33': 1, '\u20ac': 2, '1': 3, '10': 4, '9': 5, '': 6, a: 7, A: 8, '\r': 9, '\u00f6': 10 },
  JSON.parse('{"__proto__":{"x":1},"constructor":2,"toString":3}'),
  [[], {}, [null, true, false], [[[[[[[[0]]]]]]]]],
];

interface LeafText {
  readonly kind: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/** Each with one thing that is wrong, or another spelling of the same. */
function* listEntries({ kind, content }: LeafText, other: LeafText['content']): Generator<string> {
  const line = `provenance-leaf/1 ${kind}\n`;
  const write = (value: unknown) => line + canonical(value);
  for (const [name, value] of Object.entries(content)) {
    const { [name]: _, ...rest } = content;
    yield write(rest);
    for (const wrong of [other[name], String(value), [value], typeof value === 'string' ? value.toUpperCase() : 0]) {
      if (wrong !== undefined) yield write({ ...content, [name]: wrong });
    }
  }
  for (const [name, values] of Object.entries(VALUES))
    for (const value of values) yield write({ ...content, [name]: value });
  const json = canonical(content);
  const kinds = ['artifact', 'rendition', 'failed', 'content', 'Artifact', `${kind} `, ` ${kind}`, `${kind}\r`, ''];
  const lines = kinds.map((other) => `provenance-leaf/1 ${other}\n`);
  yield* [...lines, `provenance-leaf/2 ${kind}\n`, `${kind}\n`, `\ufeff${line}`, ''].map((start) => start + json);
  const first = json.slice(1, json.indexOf(',') + 1);
  const spaced = [`${json}\n`, `\n${json}`, ` ${json}`, `\ufeff${json}`, JSON.stringify(content, null, 1)];
  const spelled = [json.replace('"time"', '"\\u0074ime"'), json.replace('0,', '0.0,'), json.replace(/1\]/, '1e0]')];
  const others = [`{${first}${json.slice(1)}`, 'null', '[]', '', `[${json}]`];
  yield* [...spaced, ...spelled, ...others].map((text) => line + text);
  yield line + JSON.stringify(Object.fromEntries(Object.entries(content).toReversed()));
}

/** All of them with a receipt that holds. */
export async function listHostileLeaves(bundle: Bundle, other: Bundle, log: TestLog): Promise<Bundle[]> {
  const [own, others] = [leafOf(bundle), leafOf(other)];
  const { leaf: hidden, opening } = hideTerms(own);
  const { leaf: othersHidden, opening: othersOpening } = hideTerms(others);
  const { chain: _, ...unproven } = bundle;
  const bundles: Bundle[] = [];
  for (const entry of listEntries(own, others.content)) bundles.push({ ...bundle, log: await log.logText(entry) });
  for (const entry of listEntries(hidden, othersHidden.content)) {
    bundles.push({ ...bundle, log: { ...(await log.logText(entry)), opening } });
  }
  const receipt = await log.logLeaf(hidden);
  for (const one of [
    undefined,
    othersOpening,
    { ...opening, license: 'CC0-1.0' },
    { ...opening, salt: othersOpening.salt },
  ]) {
    bundles.push({ ...bundle, log: { ...receipt, ...(one && { opening: one }) } });
  }
  for (const more of METADATA) {
    const { metadata } = bundle;
    if (!metadata) throw new Error('The bundle has no metadata.');
    const open = { ...metadata, more };
    const entry = await log.logLeaf(leafOf({ ...bundle, metadata: open }));
    bundles.push({ ...unproven, metadata: open, log: entry });
    bundles.push({ ...unproven, metadata, log: await log.logLeaf(leafOf(bundle, { metadata: manifestHashOf(open) })) });
  }
  for (const extensions of [['an extension'], ['—', '٥ 6'], ['— w1.example AAAAAAAAAAAA', 'x'.repeat(1_000)]]) {
    bundles.push({ ...bundle, log: await log.logLeaf(own, extensions) });
  }
  return bundles;
}

/** Sorted by name at the first level alone: no leaf has more. */
function canonical(value: unknown): string {
  const members = Object.entries(Object(value)).toSorted(([one], [two]) => (one < two ? -1 : 1));
  return JSON.stringify(Object.fromEntries(members));
}
