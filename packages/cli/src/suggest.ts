// The word that was probably meant.

/** Of a word, more than a third wrong is another word. */
const MAX_WRONG = 1 / 3;

export function nearest(word: string, words: Iterable<string>): string | undefined {
  let best: string | undefined;
  let fewest = Math.max(1, Math.floor(word.length * MAX_WRONG)) + 1;
  for (const candidate of words) {
    const wrong = distance(word, candidate);
    if (wrong < fewest) {
      best = candidate;
      fewest = wrong;
    }
  }
  return best;
}

/** Letters to add, drop, change or swap with their neighbour. */
function distance(one: string, two: string): number {
  const rows: number[][] = [Array.from({ length: two.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= two.length; column += 1) {
      const same = one[row - 1] === two[column - 1] ? 0 : 1;
      let least = Math.min(
        at(rows, row - 1, column) + 1,
        (current[column - 1] ?? 0) + 1,
        at(rows, row - 1, column - 1) + same,
      );
      if (row > 1 && column > 1 && one[row - 1] === two[column - 2] && one[row - 2] === two[column - 1]) {
        least = Math.min(least, at(rows, row - 2, column - 2) + 1);
      }
      current[column] = least;
    }
    rows.push(current);
  }
  return at(rows, one.length, two.length);
}

function at(rows: readonly (readonly number[])[], row: number, column: number): number {
  return rows[row]?.[column] ?? 0;
}
