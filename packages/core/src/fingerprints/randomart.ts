// Randomart: OpenSSH's "drunken bishop" picture of a fingerprint, for comparing two fingerprints at a glance.
// Same algorithm as `ssh-keygen -lv`, so that anyone can reproduce a picture with standard tools.

export const RANDOMART_COLUMNS = 17;
export const RANDOMART_ROWS = 9;

/** The character of a square: by number of visits, then the start, then the end. */
export const RANDOMART_ALPHABET = ' .o+=*BOX@%&#/^SE';

const DIGEST_BYTES = 32;
const start = { column: 8, row: 4 };
const startMark = RANDOMART_ALPHABET.indexOf('S');
const endMark = RANDOMART_ALPHABET.indexOf('E');
const MAX_VISITS = startMark - 1;

/** The picture of a SHA-256 digest: nine rows of 17 characters. */
export function computeRandomart(digest: Uint8Array): string[] {
  if (digest.length !== DIGEST_BYTES)
    throw new RangeError(`A SHA-256 digest has ${DIGEST_BYTES} bytes, not ${digest.length}.`);
  const squares = new Uint8Array(RANDOMART_COLUMNS * RANDOMART_ROWS);
  let { column, row } = start;
  for (const byte of digest) {
    for (let shift = 0; shift < 8; shift += 2) {
      const move = byte >> shift;
      column = step(column, move & 1, RANDOMART_COLUMNS);
      row = step(row, move & 2, RANDOMART_ROWS);
      const square = row * RANDOMART_COLUMNS + column;
      squares[square] = Math.min((squares[square] ?? 0) + 1, MAX_VISITS);
    }
  }
  squares[start.row * RANDOMART_COLUMNS + start.column] = startMark;
  // Last: as in OpenSSH, the end covers the start when they are the same square.
  squares[row * RANDOMART_COLUMNS + column] = endMark;
  return Array.from({ length: RANDOMART_ROWS }, (_, line) =>
    Array.from(squares.subarray(line * RANDOMART_COLUMNS, (line + 1) * RANDOMART_COLUMNS), (square) =>
      RANDOMART_ALPHABET.charAt(square),
    ).join(''),
  );
}

/** The picture in a frame, for terminals. ssh-keygen puts the key type into the top edge; a file has none. */
export function drawRandomart(digest: Uint8Array): string {
  const rows = computeRandomart(digest).map((row) => `|${row}|`);
  return [drawEdge(''), ...rows, drawEdge('[SHA256]')].join('\n');
}

/** A wall stops the walk in that direction only: it slides along the wall. */
function step(position: number, forward: number, size: number): number {
  return forward ? Math.min(position + 1, size - 1) : Math.max(position - 1, 0);
}

function drawEdge(label: string): string {
  const before = Math.floor((RANDOMART_COLUMNS - label.length) / 2);
  return `+${(label.padStart(before + label.length, '-')).padEnd(RANDOMART_COLUMNS, '-')}+`;
}
