// The picture of a fingerprint: OpenSSH's drunken bishop, so that people can tell two fingerprints apart at a glance.
// The same walk as `ssh-keygen -lv`, so that anybody can draw it again with what they have.

export const bishopColumns = 17;
export const bishopRows = 9;

/** What a square shows: how often the bishop came by, then the start, then the end. */
export const bishopAlphabet = ' .o+=*BOX@%&#/^SE';

const digestBytes = 32;
const start = { column: 8, row: 4 };
const startMark = bishopAlphabet.indexOf('S');
const endMark = bishopAlphabet.indexOf('E');
const mostVisits = startMark - 1;

/** The board after the walk over a SHA-256 digest: nine rows of 17 characters. */
export function drunkenBishop(digest: Uint8Array): string[] {
  if (digest.length !== digestBytes)
    throw new RangeError(`A SHA-256 digest has ${digestBytes} bytes, not ${digest.length}.`);
  const squares = new Uint8Array(bishopColumns * bishopRows);
  let { column, row } = start;
  for (const byte of digest) {
    for (let shift = 0; shift < 8; shift += 2) {
      const move = byte >> shift;
      column = step(column, move & 1, bishopColumns);
      row = step(row, move & 2, bishopRows);
      const square = row * bishopColumns + column;
      squares[square] = Math.min((squares[square] ?? 0) + 1, mostVisits);
    }
  }
  squares[start.row * bishopColumns + start.column] = startMark;
  // Last, because OpenSSH lets the end hide the start when the walk comes home.
  squares[row * bishopColumns + column] = endMark;
  return Array.from({ length: bishopRows }, (_, line) =>
    Array.from(squares.subarray(line * bishopColumns, (line + 1) * bishopColumns), (square) =>
      bishopAlphabet.charAt(square),
    ).join(''),
  );
}

/** The board in a frame, for terminals. The top is plain: ssh-keygen names the kind of key there, and this is no key. */
export function drawRandomart(digest: Uint8Array): string {
  const rows = drunkenBishop(digest).map((row) => `|${row}|`);
  return [edge(''), ...rows, edge('[SHA256]')].join('\n');
}

/** A wall stops the bishop in that direction only: he slides along it. */
function step(position: number, forward: number, size: number): number {
  return forward ? Math.min(position + 1, size - 1) : Math.max(position - 1, 0);
}

function edge(label: string): string {
  const before = Math.floor((bishopColumns - label.length) / 2);
  return `+${(label.padStart(before + label.length, '-')).padEnd(bishopColumns, '-')}+`;
}
