import { expect, it } from 'vitest';
import { formatCsvLine } from './csv.js';

it.each([
  [['a', 1, true, null, undefined, ''], 'a,1,true,,,'],
  [['a,b', 'say "x"', ' padded '], '"a,b","say ""x"""," padded "'],
  [['line\nbreak', '\u001b[2J'], 'line\\nbreak,\\u001b[2J'],
  [['=1+1', '+1', '-1', '@x', '\t=1', '\r=1'], "'=1+1,'+1,'-1,'@x,'\\t=1,'\\r=1"],
  [['=HYPERLINK("http://x","y")', -1], `"'=HYPERLINK(""http://x"",""y"")",-1`],
])('formats %j', (cells, line) => {
  expect(formatCsvLine(cells)).toBe(line);
});
