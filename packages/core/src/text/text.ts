// Validation and normalization of user-supplied text: names, email addresses, passwords, UUIDs.

import Type from 'typebox';

// Control characters, lone surrogates, line and paragraph separators, and bidirectional overrides: in a name they
// only serve to deceive, and PostgreSQL cannot store U+0000.
const deceptive = '\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\u202A-\\u202E\\u2066-\\u2069';

// Patterns that are published contain only what the regular expressions of all languages share. The format beside each
// is the exact check, of which its pattern is a part.
const control = '\\x00-\\x1F\\x7F-\\x9F';

const MAX_NAME_LENGTH = 120;

/** A name for display: 1 to 120 characters by default, at least one of them visible. */
export const DisplayName = (description: string, maxLength = MAX_NAME_LENGTH) =>
  Type.String({ minLength: 1, maxLength, pattern: `^[^${control}]+$`, format: 'display-name', description });

/** A name that others see: also without invisible characters, check marks and the word "verified". */
export const PublicName = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: MAX_NAME_LENGTH,
    pattern: `^[^${control}]+$`,
    format: 'public-name',
    description,
  });

/** The longest address that SMTP allows. */
const MAX_EMAIL_LENGTH = 254;

/** Deliberately lenient: only delivery shows whether an address exists. */
export const EmailAddress = Type.String({
  minLength: 3,
  maxLength: MAX_EMAIL_LENGTH,
  pattern: `^[^@\\s${control}]+@[^@\\s${control}]+$`,
  format: 'email-address',
  description: 'An email address, not case-sensitive.',
});

export const MIN_PASSWORD_LENGTH = 10;

/** The upper limit bounds the work of hashing. */
export const Password = Type.String({
  minLength: MIN_PASSWORD_LENGTH,
  maxLength: 1000,
  pattern: '^[^\\x00]*$',
  format: 'well-formed-text',
  description: `At least ${MIN_PASSWORD_LENGTH} characters.`,
});

/** Part of a name to search for. */
export const SearchText = Type.String({
  maxLength: MAX_NAME_LENGTH,
  pattern: `^[^${control}]*$`,
  format: 'printable-text',
  description: 'Part of the name.',
});

/** Text in words, with line breaks. */
export const PlainText = (description: string, maxLength: number) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[^\\x00-\\x09\\x0B\\x0C\\x0E-\\x1F\\x7F-\\x9F]+$',
    format: 'plain-text',
    description,
  });

const deceptiveForm = new RegExp(`[${deceptive}]`, 'u');
const visibleForm = /[^\p{Z}\p{Cf}\p{Cc}\p{Cs}]/u;
const emailForm = new RegExp(`^[^@\\s${deceptive}]+@[^@\\s${deceptive}]+$`, 'u');

/** Whether a text can be a name, of any length. */
export function isName(text: string): boolean {
  return visibleForm.test(text) && !deceptiveForm.test(text);
}

/** Whether a text of any length is plain: several lines of what a name may have. */
export function isPlainText(text: string): boolean {
  return isName(text.replace(/[\r\n]/g, ''));
}

/** Validates a name in a form, before it is sent. */
export function isDisplayName(text: string, maxLength = MAX_NAME_LENGTH): boolean {
  return countCharacters(text) <= maxLength && isName(text);
}

export function isEmailAddress(text: string): boolean {
  return countCharacters(text) <= MAX_EMAIL_LENGTH && emailForm.test(text);
}

export function isPrintable(text: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(text);
}

/** Whether a text has neither lone surrogates nor U+0000, which PostgreSQL cannot store. */
export function isWellFormed(text: string): boolean {
  return !/[\0\p{Cs}]/u.test(text);
}

/** Counts code points, as JSON Schema does. */
export function countCharacters(text: string): number {
  return [...text].length;
}

/** A string schema with a closed set of values. */
export const StringEnum = <const T extends readonly string[]>(
  values: T,
  options: { title?: string; description?: string } = {},
) => Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });

/** The form in which an address is stored and looked up. */
export function normalizeEmail(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

/**
 * The mailbox of an address: one for other ways to write it, and for all tags, since mail to `ada+news@…` arrives where mail to
 * `ada@…` does.
 */
export function mailboxOf(email: string): string {
  const address = normalizeEmail(email);
  const at = address.lastIndexOf('@');
  const local = address
    .slice(0, at)
    .replace(/^"(.*)"$/s, '$1')
    .replace(/\\(.)/gs, '$1')
    .replace(/(?<=.)\+.*$/s, '');
  const domain = address
    .slice(at + 1)
    .replace(/[\u3002\uFF0E\uFF61]/g, '.')
    .replace(/\.$/, '');
  return `${local}@${domain}`;
}

/** The form in which names are searched: ignores case, width and composition. */
export function foldForSearch(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

export const uuidPattern = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

const uuidForm = new RegExp(uuidPattern);

export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && uuidForm.test(value);
}
