// Makes visible what untrusted texts could hide: control characters and characters that no font shows become their code
// points.

/** Not drawn by any font, of another meaning in each, or not assigned. */
const hidden = /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\u2800\uFFF9-\uFFFC]/u;
const FIRST_STRONG_ISOLATE = '\u2068';
const POP_ISOLATE = '\u2069';
/** Joiners belong to the spelling of these scripts, and to sequences of emoji. */
const joiner = /[\u200C\u200D]/u;
const joined = /[\p{L}\p{M}\p{Extended_Pictographic}]/u;
const unjoined = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}]/u;
const EMOJI_STYLE = '\uFE0F';

/** `U+202E` for a character that is not drawn. */
export function codePointName(character: string): string {
  return `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;
}

/** Shows an untrusted text. Cut after so many characters, which is said. */
export function showText(text: string, maxCharacters: number): string {
  const characters = [...text.normalize('NFC')];
  const shown = characters.slice(0, maxCharacters).map((character, index) => {
    return isShown(character, characters[index - 1]) ? character : codePointName(character);
  });
  const rest = characters.length - maxCharacters;
  return rest > 0 ? `${shown.join('')}… (${rest.toLocaleString('en-US')} more characters)` : shown.join('');
}

/** A sentence of our own, in which untrusted names are between isolates. */
export function showSentence(text: string): string {
  return text
    .split(/([\u2068\u2069])/u)
    .map((part) =>
      [FIRST_STRONG_ISOLATE, POP_ISOLATE].includes(part) ? part : showText(part, Number.MAX_SAFE_INTEGER),
    )
    .join('');
}

function isShown(character: string, previous: string | undefined): boolean {
  if (!hidden.test(character)) return true;
  if (previous === undefined) return false;
  if (joiner.test(character)) return joined.test(previous) && !unjoined.test(previous);
  return character === EMOJI_STYLE && /\p{Emoji}/u.test(previous);
}
