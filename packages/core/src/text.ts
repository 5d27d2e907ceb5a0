// What text from outside may look like: names, email addresses, passwords.

import Type from 'typebox';

// Control characters, lone surrogates, line and paragraph separators, and the characters that reorder
// the text around them: in a name they serve only to deceive, and PostgreSQL cannot even store U+0000.
const deceptive = '\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\u202A-\\u202E\\u2066-\\u2069';

/** A name that people read: 1 to 120 characters if nothing else is said, at least one of them visible. */
export const DisplayName = (description: string, maxLength = 120) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: `^[^${deceptive}]*[^${deceptive}\\p{Z}\\p{Cf}][^${deceptive}]*$`,
    description,
  });

/** 254 is what SMTP can carry. Whether mail arrives there is not for a pattern to say. */
export const EmailAddress = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: `^[^@\\s${deceptive}]+@[^@\\s${deceptive}]+$`,
  description: 'An email address; upper and lower case are the same address.',
});

/** The upper bound keeps the work of hashing it bounded. */
export const Password = Type.String({
  minLength: 10,
  maxLength: 1000,
  pattern: '^[^\\u0000\\p{Cs}]*$',
  description: 'At least 10 characters.',
});

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
