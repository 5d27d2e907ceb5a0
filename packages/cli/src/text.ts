// Text for people. What comes from a server or a file system cannot send a terminal escape sequences: only `Text` is
// printed, and every value that goes into a `Text` has its control characters made visible.

let ours: (written: string) => Text;

/** Written by us: its only control characters are line ends and our own colours. Only this file can make one. */
export class Text {
  private constructor(private readonly written: string) {}

  static {
    ours = (written) => new Text(written);
  }

  toString(): string {
    return this.written;
  }
}

export type Piece = Text | string | number;

// Control characters, lone surrogates, line separators and what reorders the text around it.
const deceptive = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
const shortForms: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The same text with everything visible that a terminal would obey: ESC becomes `\u001b`. JSON stays the same JSON. */
export function visible(text: string): string {
  return text.replaceAll(
    deceptive,
    (character) => shortForms[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Tag: what stands in the braces is made visible, unless it is a Text already. */
export function text(parts: TemplateStringsArray, ...pieces: readonly Piece[]): Text {
  const written = parts.map((part, index) => part + (index < pieces.length ? harmless(pieces[index] ?? '') : ''));
  return ours(written.join(''));
}

function harmless(piece: Piece): string {
  return piece instanceof Text ? piece.toString() : visible(String(piece));
}

export function lines(pieces: readonly Piece[]): Text {
  return ours(pieces.map(harmless).join('\n'));
}

export function linesOf(written: Text): Text[] {
  return written.toString().split('\n').map(ours);
}

function colour(on: number, off: number) {
  return (piece: Piece) => ours(`\u001b[${on}m${harmless(piece)}\u001b[${off}m`);
}
export const bold = colour(1, 22);
export const faint = colour(2, 22);
export const red = colour(31, 39);
export const green = colour(32, 39);
export const yellow = colour(33, 39);

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the colours above
const colours = /\u001b\[\d+m/g;

export function withoutColours(written: Text): string {
  return written.toString().replaceAll(colours, '');
}

const wide =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;

/** How many columns of a terminal it takes. */
export function width(piece: Piece): number {
  let columns = 0;
  for (const character of harmless(piece).replaceAll(colours, '')) {
    if (/[\p{M}\p{Cf}]/u.test(character)) continue;
    columns += wide.test(character) ? 2 : 1;
  }
  return columns;
}

/** Words in lines that are no longer than that, all but the first one indented. */
export function paragraph(words: string, columns: number, indent = 0): Text {
  const written: string[] = [];
  for (const word of visible(words).split(' ')) {
    const last = written.at(-1);
    if (last !== undefined && indent + width(last) + 1 + width(word) <= columns)
      written[written.length - 1] = `${last} ${word}`;
    else written.push(word);
  }
  return ours(written.join(`\n${' '.repeat(indent)}`));
}

/** Rows in aligned columns, two blanks between them. */
export function table(rows: readonly (readonly Piece[])[]): Text {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, width(cell));
  }
  return lines(
    rows.map((row) => {
      const cells = row.map((cell, column) => {
        const room = column === row.length - 1 ? 0 : (widths[column] ?? 0) - width(cell);
        return harmless(cell) + ' '.repeat(room);
      });
      return ours(cells.join('  ').trimEnd());
    }),
  );
}

/** A table with names above its columns. */
export function list(heads: readonly string[], rows: readonly (readonly Piece[])[]): Text {
  return table([heads.map((head) => bold(head)), ...rows]);
}

/** The parts of one thing, a line each. */
export function fields(parts: readonly (readonly [name: string, value: Piece | null | undefined])[]): Text {
  const there = parts.filter(([, value]) => value !== undefined && value !== null);
  return table(there.map(([name, value]) => [bold(name), value ?? '']));
}
