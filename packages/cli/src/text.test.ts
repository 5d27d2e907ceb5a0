import { describe, expect, it } from 'vitest';
import { bold, fields, list, paragraph, red, table, text, visible, withoutColours } from './text.js';

describe('text for people', () => {
  it('has no control characters but our own colours', () => {
    const name = 'x\u001b[31m\u009b\u0007\u007f\r\n\t\u2028\u202e\ud800y';
    const shown = 'x\\u001b[31m\\u009b\\u0007\\u007f\\r\\n\\t\\u2028\\u202e\\ud800y';
    expect(visible(name)).toBe(shown);
    expect(String(text`${name} is ${red('red')}`)).toBe(`${shown} is \u001b[31mred\u001b[39m`);
    expect(String(bold(name))).toBe(`\u001b[1m${shown}\u001b[22m`);
    for (const made of [table([[name]]), list(['A'], [[name]]), fields([['A', name]]), paragraph(name, 80)]) {
      expect(withoutColours(made)).not.toMatch(/[^\P{Cc}\n]/u);
    }
  });

  it('made visible, JSON is the same JSON', () => {
    const value = { name: 'a\u009b\u007f\u202e"\\', list: ['\u0000'] };
    expect(JSON.parse(visible(JSON.stringify(value)))).toEqual(value);
  });

  it('stands in aligned columns, whatever the letters', () => {
    const rows = [
      ['Ада', 'x'],
      ['写真家', 'y'],
      ['e\u0301', 'z'],
      [red('plain'), 'w'],
    ];
    expect(withoutColours(table(rows))).toBe('Ада     x\n写真家  y\ne\u0301       z\nplain   w');
  });

  it('is broken into lines between words', () => {
    expect(String(paragraph('one two three four', 9, 2))).toBe('one two\n  three\n  four');
    expect(String(paragraph('unbreakable', 4))).toBe('unbreakable');
  });
});
