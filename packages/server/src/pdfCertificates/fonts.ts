// The fonts of documents: which file has which script. Each is opened when a text needs it.

import { fileURLToPath } from 'node:url';
import { packageFolder } from '../paths.js';

export type FontName = keyof typeof fontFiles;

/** Files in `packages/server/fonts`, which says where they come from. */
const fontFiles = {
  regular: 'NotoSans-Regular',
  bold: 'NotoSans-Bold',
  title: 'NotoSerif-Bold',
  mono: 'NotoSansMono-Regular',
  arabic: 'NotoSansArabic-Regular',
  armenian: 'NotoSansArmenian-Regular',
  bengali: 'NotoSansBengali-Regular',
  canadian: 'NotoSansCanadianAboriginal-Regular',
  cherokee: 'NotoSansCherokee-Regular',
  cjk: 'DroidSansFallbackFull',
  devanagari: 'NotoSansDevanagari-Regular',
  emoji: 'NotoEmoji-Regular',
  ethiopic: 'NotoSansEthiopic-Regular',
  georgian: 'NotoSansGeorgian-Regular',
  gujarati: 'NotoSansGujarati-Regular',
  gurmukhi: 'NotoSansGurmukhi-Regular',
  hangul: 'NanumSquareR',
  hebrew: 'NotoSansHebrew-Regular',
  kannada: 'NotoSansKannada-Regular',
  khmer: 'NotoSansKhmer-Regular',
  lao: 'NotoSansLao-Regular',
  malayalam: 'NotoSansMalayalam-Regular',
  myanmar: 'NotoSansMyanmar-Regular',
  nko: 'NotoSansNKo-Regular',
  oriya: 'NotoSansOriya-Regular',
  sinhala: 'NotoSansSinhala-Regular',
  symbols: 'NotoSansSymbols-Regular',
  tamil: 'NotoSansTamil-Regular',
  telugu: 'NotoSansTelugu-Regular',
  thaana: 'NotoSansThaana-Regular',
  thai: 'NotoSansThai-Regular',
  tibetan: 'NotoSerifTibetan-Regular',
  tifinagh: 'NotoSansTifinagh-Regular',
} as const;

/** Fonts of scripts that the text fonts do not have. */
const scripts: readonly (readonly [RegExp, FontName])[] = [
  [/\p{Script_Extensions=Arabic}/u, 'arabic'],
  [/\p{Script=Armenian}/u, 'armenian'],
  [/\p{Script=Bengali}/u, 'bengali'],
  [/\p{Script=Canadian_Aboriginal}/u, 'canadian'],
  [/\p{Script=Cherokee}/u, 'cherokee'],
  [/\p{Script=Devanagari}/u, 'devanagari'],
  [/\p{Script=Ethiopic}/u, 'ethiopic'],
  [/\p{Script=Georgian}/u, 'georgian'],
  [/\p{Script=Gujarati}/u, 'gujarati'],
  [/\p{Script=Gurmukhi}/u, 'gurmukhi'],
  [/\p{Script=Hangul}/u, 'hangul'],
  [/\p{Script=Hebrew}/u, 'hebrew'],
  [/\p{Script=Kannada}/u, 'kannada'],
  [/\p{Script=Khmer}/u, 'khmer'],
  [/\p{Script=Lao}/u, 'lao'],
  [/\p{Script=Malayalam}/u, 'malayalam'],
  [/\p{Script=Myanmar}/u, 'myanmar'],
  [/\p{Script=Nko}/u, 'nko'],
  [/\p{Script=Oriya}/u, 'oriya'],
  [/\p{Script=Sinhala}/u, 'sinhala'],
  [/\p{Script=Tamil}/u, 'tamil'],
  [/\p{Script=Telugu}/u, 'telugu'],
  [/\p{Script=Thaana}/u, 'thaana'],
  [/\p{Script=Thai}/u, 'thai'],
  [/\p{Script=Tibetan}/u, 'tibetan'],
  [/\p{Script=Tifinagh}/u, 'tifinagh'],
  [/\p{Emoji_Presentation}|\p{Extended_Pictographic}/u, 'emoji'],
];

/** Punctuation and symbols without a script of their own, and Chinese and Japanese. */
const others: readonly FontName[] = ['cjk', 'symbols', 'emoji'];

/** Returns the path of the font, as the library needs it. */
export function fontPath(name: FontName): string {
  return fileURLToPath(new URL(`fonts/${fontFiles[name]}.ttf`, packageFolder));
}

/** Fonts that may have the characters, in the order of preference. */
export function fontCandidates(characters: string, preferred: FontName): readonly FontName[] {
  const ofScript = scripts.filter(([form]) => form.test(characters)).map(([, name]) => name);
  return [preferred, 'regular', ...ofScript, ...others];
}
