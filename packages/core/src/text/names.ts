// Names of Marks, organizations and users: which are refused because they deceive, and which look alike (Unicode UTS 39).

import { confusables } from './confusables.generated.js';
import { isName } from './text.js';

/**
 * Invisible: every character that is ignored in rendering by default (zero-width joiners and variation selectors too), the
 * blank Braille pattern, annotation characters; and private-use characters, whose look depends on the font.
 */
const hidden = /[\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFC\p{Co}]/gu;

/** Check marks, ballot boxes with one, and characters that look like a check mark. */
const checkMark = /[\u2705\u2611\u2713\u2714\u237B\u221A\u23B7\uAA9C\u{1F5F8}\u{1F5F9}\u{1FBB1}]/gu;

/** The service's own word for what it has checked. */
const RESERVED_WORD = 'verified';

/** Whether a text can be a name that others see. Lengths are checked elsewhere. */
export function isPublicName(name: string): boolean {
  return isName(name) && cleanName(name) === name;
}

/** Removes what is refused in a name, for names that come from elsewhere. The result may be empty. */
export function cleanName(name: string): string {
  let cleaned = name.replace(hidden, '').replace(checkMark, '');
  // Words between spaces ("ver|fied"), and between characters that are neither letters nor digits ("-verified").
  for (const separators of [/(\s+)/u, /([^\p{L}\p{N}\p{M}]+)/u]) {
    cleaned = cleaned
      .split(separators)
      .filter((word) => word === '' || nameSkeleton(word) !== nameSkeleton(RESERVED_WORD))
      .join('');
  }
  return cleaned === name ? name : cleaned.replace(/\s+/gu, ' ').trim();
}

/**
 * Equal for names that look alike: the skeleton of UTS 39, without case, width, accents, spaces, punctuation and symbols.
 * Use it for comparison only.
 */
export function nameSkeleton(name: string): string {
  // Before and after folding: "I" looks like "l" and "i" does not, "m" looks like "rn" and "M" does not.
  const letters = foldCase(replaceConfusables(foldCase(replaceConfusables(toLetters(name)))));
  const text = letters.replace(/[\p{Script=Inherited}\s]/gu, '').replaceAll('i', 'l');
  return text.replace(/[\p{P}\p{S}\p{Z}\p{C}]/gu, '') || text;
}

/** Decomposed, with letters for their enclosed forms and for regional indicators, which Unicode does not decompose. */
function toLetters(name: string): string {
  return (
    name
      .replace(/[©®™℠]/gu, '')
      // Their decompositions look different.
      .replace(/[ϲϹ]/gu, 'c')
      .replaceAll('ſ', 'f')
      .normalize('NFKD')
      .replace(/[\u{1F150}-\u{1F169}\u{1F170}-\u{1F189}\u{1F1E6}-\u{1F1FF}]/gu, (letter) => {
        const codePoint = letter.codePointAt(0) ?? 0;
        const first = [0x1f1e6, 0x1f170, 0x1f150].find((start) => start <= codePoint) ?? codePoint;
        return String.fromCharCode(65 + codePoint - first);
      })
  );
}

/** Each character by itself: sigma has another form at the end of a word. */
function foldCase(text: string): string {
  return Array.from(text, (character) => character.toUpperCase().toLowerCase()).join('');
}

/**
 * Each followed by what it stands for. Unicode does not list small capitals; with them and the others, capital and small
 * letters of Latin and Cyrillic have the same skeleton.
 */
const additions = 'ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ꞯq ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz ĸk ʍm ƅb ɜ3 лʌ юlo Гr Б6';

let prototypes: Map<string, string> | undefined;

function replaceConfusables(text: string): string {
  prototypes ??= readPrototypes();
  const table = prototypes;
  return Array.from(text.normalize('NFKD'), (character) => table.get(character) ?? character)
    .join('')
    .normalize('NFKD');
}

function readPrototypes(): Map<string, string> {
  const table = new Map<string, string>();
  for (const group of confusables.trim().split(/\s/)) {
    const [target = '', sources = ''] = group.split(':');
    const prototype = target
      .split('.')
      .map(fromBase36)
      .map((code) => String.fromCodePoint(code))
      .join('');
    let codePoint = 0;
    for (const difference of sources.split('.')) {
      codePoint += fromBase36(difference);
      table.set(String.fromCodePoint(codePoint), prototype);
    }
  }
  for (const [source = '', ...letters] of additions.split(' ')) {
    table.set(source, letters.map((letter) => table.get(letter) ?? letter).join(''));
  }
  return table;
}

function fromBase36(digits: string): number {
  return Number.parseInt(digits, 36);
}
