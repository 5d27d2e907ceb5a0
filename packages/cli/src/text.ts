// Text for terminals. Only `Text` is printed, and every value inserted into one has its control characters escaped, so
// that names from servers and file systems cannot send escape sequences.

let createText: (written: string) => Text;

/** Contains no control characters except line breaks and the colors below. Only this file can create one. */
export class Text {
  private constructor(private readonly written: string) {}

  static {
    createText = (written) => new Text(written);
  }

  toString(): string {
    return this.written;
  }
}

export type Piece = Text | string | number;

// Control characters, lone surrogates, line separators and bidirectional formatting.
const unsafeCharacters = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Escapes what a terminal would interpret: ESC becomes `\u001b`. Escaped JSON parses to the same value. */
export function escapeControls(text: string): string {
  // Most texts are plain, and a search by Unicode properties is slow.
  if (/^[ -~]*$/.test(text)) return text;
  return text.replaceAll(
    unsafeCharacters,
    (character) => shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Template tag that escapes the inserted values, except those that are `Text`. */
export function text(parts: TemplateStringsArray, ...pieces: readonly Piece[]): Text {
  const written = parts.map((part, index) => part + (index < pieces.length ? toSafeString(pieces[index] ?? '') : ''));
  return createText(written.join(''));
}

function toSafeString(piece: Piece): string {
  return piece instanceof Text ? piece.toString() : escapeControls(String(piece));
}

export function joinLines(pieces: readonly Piece[]): Text {
  return createText(pieces.map(toSafeString).join('\n'));
}

function createStyle(on: number, off: number) {
  return (piece: Piece) => createText(`\u001b[${on}m${toSafeString(piece)}\u001b[${off}m`);
}
export const bold = createStyle(1, 22);
export const red = createStyle(31, 39);
export const green = createStyle(32, 39);
export const yellow = createStyle(33, 39);

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches the styles above
const styleCodes = /\u001b\[\d+m/g;

export function stripColors(written: Text): string {
  return written.toString().replaceAll(styleCodes, '');
}

const wideCharacters =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;

function terminalColumns(piece: Piece): number {
  const shown = toSafeString(piece).replaceAll(styleCodes, '');
  // Most text, and many times faster.
  if (/^[ -~]*$/.test(shown)) return shown.length;
  let columns = 0;
  for (const character of shown) {
    if (/[\p{M}\p{Cf}]/u.test(character)) continue;
    columns += wideCharacters.test(character) ? 2 : 1;
  }
  return columns;
}

/** Wraps words into lines of at most `columns`; all but the first line are indented. */
export function wrapText(words: string, columns: number, indent = 0): Text {
  const written: string[] = [];
  let used = 0;
  for (const word of escapeControls(words).split(' ')) {
    const last = written.at(-1);
    const added = terminalColumns(word);
    if (last !== undefined && indent + used + 1 + added <= columns) {
      written[written.length - 1] = `${last} ${word}`;
      used += 1 + added;
    } else {
      written.push(word);
      used = added;
    }
  }
  return createText(written.join(`\n${' '.repeat(indent)}`));
}

/** Fills a cell up to a width, or cuts plain text that is wider. */
export function padText(piece: Piece, columns: number): Text {
  const missing = columns - terminalColumns(piece);
  if (missing >= 0) return createText(toSafeString(piece) + ' '.repeat(missing));
  let cut = '';
  for (const character of toSafeString(piece)) {
    if (terminalColumns(cut + character) >= columns) break;
    cut += character;
  }
  return createText(`${cut}…`);
}

type Row = readonly Piece[];

/** Aligned columns with two spaces between them. */
export function formatTable(rows: readonly Row[]): Text {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, terminalColumns(cell));
  }
  return joinLines(
    rows.map((row) => {
      const cells = row.map((cell, column) => {
        const padding = column === row.length - 1 ? 0 : (widths[column] ?? 0) - terminalColumns(cell);
        return toSafeString(cell) + ' '.repeat(padding);
      });
      return createText(cells.join('  ').trimEnd());
    }),
  );
}

/** A table with a header row; undefined without rows. */
export function formatList(headers: readonly string[], rows: readonly [Row, ...Row[]]): Text;
export function formatList(headers: readonly string[], rows: readonly Row[]): Text | undefined;
export function formatList(headers: readonly string[], rows: readonly Row[]): Text | undefined {
  return rows.length === 0 ? undefined : formatTable([headers.map((header) => bold(header)), ...rows]);
}

/** One line for each field that has a value. */
export function formatFields(fields: readonly (readonly [name: string, value: Piece | null | undefined])[]): Text {
  const present = fields.filter(([, value]) => value !== undefined && value !== null);
  return formatTable(present.map(([name, value]) => [bold(name), value ?? '']));
}
