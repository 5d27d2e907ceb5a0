// Which new passwords are refused because they are easy to guess. Passwords that exist already stay as they are.

import { fieldError } from '../errors.js';
import type { Ports } from '../ports/index.js';

/** The field of the request that contains the password. */
export type PasswordField = 'password' | 'newPassword';

export interface PasswordOwner {
  readonly email: string | null;
  readonly name: string;
}

/** Throws BAD_REQUEST when the password is common, a sequence or a repetition, or the user's own address or name. */
export function requireStrongPassword(
  { commonPasswords }: Pick<Ports, 'commonPasswords'>,
  password: string,
  owner: PasswordOwner,
  field: PasswordField,
): void {
  const reason = findWeakness(commonPasswords, fold(password), owner);
  if (reason === undefined) return;
  throw fieldError(field, `Choose another password: ${reason}.`);
}

function findWeakness(
  commonPasswords: Ports['commonPasswords'],
  password: string,
  { email, name }: PasswordOwner,
): string | undefined {
  const core = password.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  if (commonPasswords.has(password) || commonPasswords.has(core)) return 'this one is among the most common ones';
  if (isRepetition(password)) return 'this one repeats the same characters';
  if (isSequence(password)) return 'this one is a sequence of neighboring characters';
  if (isDecorated(password, frequentWords)) return 'this one is little more than a word that is often used';
  const [mailbox = ''] = (email ?? '').split('@');
  if (isDecorated(password, [email ?? '', mailbox, name, ...name.split(/\s+/)])) {
    return 'this one is little more than your email address or name';
  }
  return undefined;
}

/** The form in which passwords are compared with words. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Shorter than the shortest password: whatever is longer is as good as a password of its own. */
const MAX_PERIOD = 9;

/** The same few characters over and over; the last time perhaps not all of them. */
function isRepetition(password: string): boolean {
  const characters = [...password];
  const longest = Math.min(MAX_PERIOD, Math.floor(characters.length / 2));
  return Array.from({ length: longest }, (_, index) => index + 1).some((period) =>
    characters.every((character, index) => index < period || character === characters[index - period]),
  );
}

const rows = [
  '1234567890',
  'abcdefghijklmnopqrstuvwxyz',
  // Keyboards: QWERTY, QWERTZ, AZERTY and Cyrillic.
  ...['qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'qwertzuiop', 'yxcvbnm', 'azertyuiop', 'qsdfghjklm', 'wxcvbn'],
  ...['йцукенгшщзхъ', 'фывапролджэ', 'ячсмитьбю'],
];
const neighbors = new Set(
  rows.flatMap((row) => [...row].slice(1).flatMap((next, index) => [`${row[index]}${next}`, `${next}${row[index]}`])),
);

/** Ten characters in so few runs of neighboring or equal characters are no harder to guess than as many numbers. */
const MAX_RUNS = 3;

function isSequence(password: string): boolean {
  const characters = [...password];
  const breaks = characters.filter((character, index) => {
    const previous = characters[index - 1];
    return previous !== undefined && previous !== character && !neighbors.has(previous + character);
  });
  return 1 + breaks.length <= MAX_RUNS;
}

/** Those that many common passwords begin with. */
const frequentWords = [
  'password',
  'passwort',
  'passw0rd',
  'qwerty',
  'letmein',
  'welcome',
  'iloveyou',
  'changeme',
  'admin',
];

/** Shorter ones are part of too many other words. */
const MIN_WORD_LENGTH = 3;
/** Characters beside the word: a year has as many. */
const MAX_DECORATION = 4;

/** One of the words, any number of times, with few other letters and digits or a sequence of them. */
function isDecorated(password: string, words: readonly string[]): boolean {
  const bare = keepLettersAndDigits(password);
  const rest = words
    .map((word) => keepLettersAndDigits(fold(word)))
    .filter((word) => word.length >= MIN_WORD_LENGTH)
    .toSorted((a, b) => b.length - a.length)
    .reduce((text, word) => text.replaceAll(word, ''), bare);
  return rest !== bare && (rest.length <= MAX_DECORATION || isSequence(rest));
}

function keepLettersAndDigits(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}
