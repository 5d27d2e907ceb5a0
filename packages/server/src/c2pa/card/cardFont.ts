// Bitmap fonts of the fingerprint card, so that it does not depend on installed fonts. Their pictures are in `fonts`.

import { readFileSync } from 'node:fs';
import { packageFolder } from '../../paths.js';

/** Characters for the coverage of a pixel: none, a third, two thirds, full. */
const coverage = '.:+#';

export const fullCoverage = coverage.length - 1;

export type Glyph = { width: number; height: number; dots: Uint8Array };

export type Font = ReadonlyMap<string, Glyph>;

/** The font of the fingerprint itself. */
export const hexFont = readFont('card-hex.txt');

/** What stands on the squares of the board: square, so that it sits in the middle of its tile; start and end are bold. */
export const boardFont = readFont('card-board.txt');

/** The small print: only the letters that it has. */
export const captionFont = readFont('card-caption.txt');

/** Reads blocks of glyphs side by side: a line with their names, then the lines of dots. */
function readFont(file: string): Font {
  const picture = readFileSync(new URL(`fonts/${file}`, packageFolder), 'utf8');
  const font = new Map<string, Glyph>();
  for (const block of picture.trim().split('\n\n')) {
    const [names = '', ...lines] = block.split('\n');
    const columns = lines.map((line) => line.split(' '));
    for (const [place, name] of names.split(/ +/).entries()) {
      const rows = columns.map((column) => column[place] ?? '');
      font.set(name, {
        width: rows[0]?.length ?? 0,
        height: rows.length,
        dots: Uint8Array.from(rows.join(''), (dot) => coverage.indexOf(dot)),
      });
    }
  }
  return font;
}
