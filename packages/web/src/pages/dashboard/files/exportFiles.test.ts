import { expect, test } from 'vitest';
import { toCsvLine } from './exportFiles.js';

test('cells that spreadsheets would compute are text, and quotes, commas and line breaks stay inside their cell', () => {
  expect(toCsvLine(['=1+1', '@SUM(A1)', '-2', '+3', '\t=1', '＝1'])).toBe(
    `"'=1+1","'@SUM(A1)","'-2","'+3","'\t=1","'＝1"\r\n`,
  );
  expect(toCsvLine(['a,b', 'say "hi"', 'two\nlines', ' =1', ''])).toBe(`"a,b","say ""hi""","two\nlines"," =1",""\r\n`);
});
