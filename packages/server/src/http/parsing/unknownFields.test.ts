// Fields that an operation does not have, against every object that a request may contain.

import { api, type Operation } from '@provenance-registry/core';
import type { TSchema } from 'typebox';
import { describe, expect, it } from 'vitest';
import { findUnknownFields } from './unknownFields.js';

interface Node extends TSchema {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
}

/** The fields of each object in a schema. */
function listObjects({ properties, items, anyOf = [] }: Node): Readonly<Record<string, Node>>[] {
  const inner = [...Object.values(properties ?? {}), ...(items ? [items] : []), ...anyOf].flatMap(listObjects);
  return properties ? [properties, ...inner] : inner;
}

const objects = Object.values<Operation>(api)
  .flatMap(({ body, multipart, lines }) => [body, multipart, lines?.item])
  .flatMap((schema) => (schema ? listObjects(schema) : []));

const looksLike: Readonly<Record<string, string>> = { a: 'а', c: 'с', e: 'е', i: 'і', o: 'о', p: 'р', s: 'ѕ', y: 'у' };

/** The same mistake in every name. */
const mistakes: Readonly<Record<string, (name: string) => string>> = {
  'a letter twice': (name) => name.slice(0, 2) + name.slice(1),
  'a letter left out': (name) => name.slice(0, name.length >> 1) + name.slice((name.length >> 1) + 1),
  'two letters swapped': (name) => name.replace(/(?<=^.)(.)(.)/, '$2$1'),
  'upper case': (name) => name.toUpperCase(),
  'a capital': (name) => name.charAt(0).toUpperCase() + name.slice(1),
  'snake case': (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  'a space behind it': (name) => `${name} `,
  'letters of another script': (name) => name.replace(/[acéiopsy]/g, (letter) => looksLike[letter] ?? letter),
  'wide letters': (name) =>
    name.replace(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x20 + 0xff00)),
  'an invisible character': (name) => `${name.slice(0, 2)}\u200b${name.slice(2)}`,
};

describe('a misspelled field is refused, and the message names the field that was meant', () => {
  it.each(Object.entries(mistakes))('with %s', (_, misspell) => {
    expect(objects.length).toBeGreaterThan(40);
    for (const known of objects) {
      for (const name of Object.keys(known)) {
        const typed = misspell(name);
        if (typed === name) continue;
        const [problem, ...others] = findUnknownFields({ [typed]: 1 }, known, '');
        expect([typed, problem?.message, others]).toEqual([
          typed,
          expect.stringMatching(` Did you mean ${name}\\?$`),
          [],
        ]);
      }
    }
  });
});

describe('the message', () => {
  const known = { name: 1, license: 1, aiPreferences: 1 };
  const messageOf = (name: string, fields: object = known, parent = '') =>
    findUnknownFields({ [name]: 1 }, fields, parent)[0];

  it.each([
    ['licence', 'Unknown field licence. Did you mean license?'],
    ['tier', 'Unknown field tier. Known fields: name, license, aiPreferences.'],
    ['toString', 'Unknown field toString. Known fields: name, license, aiPreferences.'],
    ['hasOwnProperty', 'Unknown field hasOwnProperty. Known fields: name, license, aiPreferences.'],
    ['', 'Unknown field "". Known fields: name, license, aiPreferences.'],
    ['nаme', 'Unknown field "n\\u0430me". Did you mean name?'],
    ['\u202Eeman', 'Unknown field "\\u202eeman". Known fields: name, license, aiPreferences.'],
    ['a"\n\u001B', 'Unknown field "a\\"\\n\\u001b". Known fields: name, license, aiPreferences.'],
    ['\uD800', 'Unknown field "\\ud800". Known fields: name, license, aiPreferences.'],
  ])('for %j', (name, message) => {
    expect(messageOf(name)?.message).toBe(message);
  });

  it('lists no more than a few known fields, and says when there are none', () => {
    expect(messageOf('other', {})?.message).toBe('Unknown field other. No fields are expected here.');
    expect(
      messageOf('zzzzzzzz', { ...Object.fromEntries(Array.from('abcdefghijkl', (one) => [one, 1])) })?.message,
    ).toBe('Unknown field zzzzzzzz. Known fields are a, b, c, d, e, f, g, h and 4 more.');
  });

  it('and the path are those of a nested field', () => {
    expect(messageOf('nam/e~', known, '/artifacts/3')).toEqual({
      path: '/artifacts/3/nam~1e~0',
      message: 'Unknown field "artifacts/3/nam/e~". Did you mean name?',
    });
  });

  it('is short, and there are five at most, whatever was sent', () => {
    const fields = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`\u{FDFA}${index}`.repeat(50), 1]));
    const problems = findUnknownFields(fields, known, '');
    expect(problems).toHaveLength(5);
    expect(JSON.stringify(problems).length).toBeLessThan(5_000);
  });
});
