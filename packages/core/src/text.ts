// What text from outside may look like: names, email addresses, passwords.

import Type from 'typebox';

// Control characters, lone surrogates, line and paragraph separators, and the characters that reorder
// the text around them: in a name they serve only to deceive, and PostgreSQL cannot even store U+0000.
const deceptive = '\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\u202A-\\u202E\\u2066-\\u2069';

const namePattern = `^[^${deceptive}]*[^${deceptive}\\p{Z}\\p{Cf}][^${deceptive}]*$`;
const MAX_NAME_LENGTH = 120;

/** A name that people read: 1 to 120 characters if nothing else is said, at least one of them visible. */
export const DisplayName = (description: string, maxLength = MAX_NAME_LENGTH) =>
  Type.String({ minLength: 1, maxLength, pattern: namePattern, description });

const emailPattern = `^[^@\\s${deceptive}]+@[^@\\s${deceptive}]+$`;
/** What SMTP can carry. */
const MAX_EMAIL_LENGTH = 254;

/** Whether mail arrives there is not for a pattern to say. */
export const EmailAddress = Type.String({
  minLength: 3,
  maxLength: MAX_EMAIL_LENGTH,
  pattern: emailPattern,
  description: 'An email address; upper and lower case are the same address.',
});

export const MIN_PASSWORD_LENGTH = 10;

/** The upper bound keeps the work of hashing it bounded. */
export const Password = Type.String({
  minLength: MIN_PASSWORD_LENGTH,
  maxLength: 1000,
  pattern: '^[^\\u0000\\p{Cs}]*$',
  description: `At least ${MIN_PASSWORD_LENGTH} characters.`,
});

const nameForm = new RegExp(namePattern, 'u');
const emailForm = new RegExp(emailPattern, 'u');

/** For forms, which say what is wrong before they ask. */
export function isDisplayName(text: string, maxLength = MAX_NAME_LENGTH): boolean {
  return nameForm.test(text) && characters(text) <= maxLength;
}

export function isEmailAddress(text: string): boolean {
  return emailForm.test(text) && characters(text) <= MAX_EMAIL_LENGTH;
}

/** As JSON Schema counts them. */
export function characters(text: string): number {
  return [...text].length;
}

/** One of a closed set of words. */
export const OneOf = <const T extends readonly string[]>(words: T, options: { title?: string; description: string }) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...words], ...options });

/** The one form in which an address is stored and looked up. */
export function normalizeEmail(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

/** The form in which names are searched: without regard to case, width and composition. */
export function foldForSearch(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

export const uuidPattern = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

const uuid = new RegExp(uuidPattern);

export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && uuid.test(value);
}
