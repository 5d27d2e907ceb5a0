// "Did you mean": the known word that is closest to a mistyped one.

import { closest, distance } from 'fastest-levenshtein';

/** Two swapped letters count as two edits; in longer words a third of the letters may be wrong. */
function maxEdits({ length }: string): number {
  return Math.min(Math.max(2, Math.floor(length / 3)), length - 1);
}

export function suggestWord(typed: string, words: readonly string[]): string | undefined {
  if (words.length === 0) return undefined;
  const word = closest(typed, words);
  return distance(typed, word) <= maxEdits(typed) ? word : undefined;
}
