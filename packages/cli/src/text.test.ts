import { describe, expect, it } from 'vitest';
import {
  bold,
  escapeControls,
  formatFields,
  formatList,
  formatTable,
  red,
  stripColors,
  text,
  wrapText,
} from './text.js';

describe('text for terminals', () => {
  it('contains no control characters except its own colors', () => {
    const name = 'x\u001b[31m\u009b\u0007\u007f\r\n\t\u2028\u202e\ud800y';
    const escaped = 'x\\u001b[31m\\u009b\\u0007\\u007f\\r\\n\\t\\u2028\\u202e\\ud800y';
    expect(escapeControls(name)).toBe(escaped);
    expect(String(text`${name} is ${red('red')}`)).toBe(`${escaped} is \u001b[31mred\u001b[39m`);
    expect(String(bold(name))).toBe(`\u001b[1m${escaped}\u001b[22m`);
    const formatted = [
      formatTable([[name]]),
      formatList(['A'], [[name]]),
      formatFields([['A', name]]),
      wrapText(name, 80),
    ];
    for (const output of formatted) {
      expect(stripColors(output)).not.toMatch(/[^\P{Cc}\n]/u);
    }
  });

  it('escaped JSON parses to the same value', () => {
    const value = { name: 'a\u009b\u007f\u202e"\\', list: ['\u0000'] };
    expect(JSON.parse(escapeControls(JSON.stringify(value)))).toEqual(value);
  });

  it('is aligned in columns for letters of any width', () => {
    const rows = [
      ['Ада', 'x'],
      ['写真家', 'y'],
      ['e\u0301', 'z'],
      [red('plain'), 'w'],
    ];
    expect(stripColors(formatTable(rows))).toBe('Ада     x\n写真家  y\ne\u0301       z\nplain   w');
  });

  it('is wrapped between words', () => {
    expect(String(wrapText('one two three four', 9, 2))).toBe('one two\n  three\n  four');
    expect(String(wrapText('unbreakable', 4))).toBe('unbreakable');
  });
});
