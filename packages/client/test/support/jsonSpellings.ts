// Texts that are JSON in another spelling, or almost JSON: parsers of two languages must read the same in them, or refuse both.

import { pick, type Random } from './seededChoices.js';

/** Strings, numbers and words; everything else is punctuation. */
const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/g;
/** The manifest makes up most of the text, and has a spelling of its own. */
const LONG_TOKEN = 2_000;

type Respell = (text: string, random: Random) => string;

const NUMBERS = [
  '-0',
  '1e400',
  '-1e400',
  '1E0',
  '9007199254740993',
  '12345678901234567890123',
  '0.1e1',
  '5e-324',
] as const;
const NOT_NUMBERS = ['01', '+1', '.5', '1.', '0x1', 'NaN', 'Infinity', '-Infinity', '1_0', '1n', '--1', '١'] as const;
const ESCAPES = [
  '\\ud800',
  '\\udc00x',
  '\\ud83d\\ude00',
  '\\u0000',
  '\\/',
  '\\u00e9',
  'e\\u0301',
  '\\ufeff',
  '\\uFFFD',
] as const;
const NOT_ESCAPES = ['\t', '\n', '\u0000', '\\x41', '\\u12', '\\U00000041', "\\'"] as const;
const SPACES = [
  ' ',
  '\n',
  '\t',
  '\r\n',
  '\u00a0',
  '\ufeff',
  '\u2028',
  '\f',
  '\v',
  '\u0000',
  '/**/',
  '//\n',
  ',',
] as const;
const MEMBERS = [
  '"__proto__":{"version":1}',
  '"__proto__":null',
  '"constructor":1',
  '"":0',
  '"\\u0000":0',
  '"\\ud800":0',
  '"\\ud83d\\ude00":0,"\\ufb33":1,"\\u20ac":2,"1":3,"10":4,"9":5',
] as const;
const DEPTHS = [20, 63, 64, 65, 500, 2_000, 50_000] as const;

const inToken =
  (form: RegExp, change: (found: string, random: Random) => string): Respell =>
  (text, random) => {
    const found = [...text.matchAll(token)].filter(([one]) => one.length < LONG_TOKEN && form.test(one));
    if (found.length === 0) return text;
    const { index, 0: one } = pick(random, found);
    return text.slice(0, index) + change(one, random) + text.slice(index + one.length);
  };

/** Inserts after the beginning of an object, or before its end; the later one of two members counts. */
const inObject =
  (member: (text: string, random: Random) => string): Respell =>
  (text, random) => {
    const isFirst = random() < 0.5;
    const place = pickMatch(text, isFirst ? /\{(?=")/g : /(?<=[^{])\}/g, random)?.index;
    if (place === undefined) return text;
    const added = member(text, random);
    return isFirst
      ? `${text.slice(0, place + 1)}${added},${text.slice(place + 1)}`
      : `${text.slice(0, place)},${added}${text.slice(place)}`;
  };

/** Half of the time the first or the last one, of the whole document. */
function pickMatch(text: string, form: RegExp, random: Random): RegExpExecArray | undefined {
  const found = [...text.matchAll(form)].filter(([one]) => one.length < LONG_TOKEN);
  return found.length === 0 ? undefined : random() < 0.5 ? pick(random, found) : found.at(random() < 0.5 ? 0 : -1);
}

const spellings: readonly Respell[] = [
  inToken(/^[-\d]/, (found, random) =>
    pick(random, [`"${found}"`, `${found}.0`, `${found}e0`, `${found}.00000000000000001`]),
  ),
  inToken(/^[-\d]/, (_, random) => pick(random, NUMBERS)),
  inToken(/^[-\dtfn]/, (_, random) => pick(random, NOT_NUMBERS)),
  inToken(/^[tfn]/, (found, random) => pick(random, [`"${found}"`, found.toUpperCase(), `${found}0`, '0', '1', '""'])),
  inToken(/^".+"$/, (found, random) => {
    const at = 1 + Math.floor(random() * (found.length - 2));
    const code = found.charCodeAt(at).toString(16).padStart(4, '0');
    return `${found.slice(0, at)}\\u${random() < 0.5 ? code : code.toUpperCase()}${found.slice(at + 1)}`;
  }),
  inToken(/^"/, (found, random) => {
    const at = 1 + Math.floor(random() * (found.length - 1));
    return found.slice(0, at) + pick(random, [...ESCAPES, ...NOT_ESCAPES]) + found.slice(at);
  }),
  inToken(/^"/, (found, random) =>
    pick(random, [`'${found.slice(1, -1)}'`, found.slice(1, -1), `[${found}]`, `${found}${found}`]),
  ),
  inObject((text, random) => {
    const key = pickMatch(text, /"\w+"(?=:)/g, random)?.[0] ?? '""';
    const other = pickMatch(text, token, random)?.[0] ?? '0';
    return `${key}:${pick(random, [other, 'null', '0', '""', '{}', '[]', '"\\ud800"'])}`;
  }),
  inObject((_, random) => pick(random, MEMBERS)),
  inObject((_, random) => {
    const depth = pick(random, DEPTHS);
    return random() < 0.5
      ? `"x":${'['.repeat(depth)}${']'.repeat(depth)}`
      : `"x":${'{"x":'.repeat(depth)}0${'}'.repeat(depth)}`;
  }),
  (text, random) => {
    const places = [0, text.length, ...[...text.matchAll(/[,:{}[\]]/g)].map(({ index }) => index)];
    const place = pick(random, places);
    return text.slice(0, place) + pick(random, SPACES) + text.slice(place);
  },
  (text, random) =>
    pick(random, [
      `[${text}]`,
      `${text}${text}`,
      `${text}x`,
      JSON.stringify(text),
      text.slice(1),
      '',
      'null',
      '[]',
      '0',
    ]),
];

/** One to three changes. */
export function respell(text: string, random: Random): string {
  const count = 1 + Math.floor(random() ** 3 * 3);
  return Array.from({ length: count }).reduce<string>((spelled) => pick(random, spellings)(spelled, random), text);
}
