// Form validation, by the rules of the service.

import { countCharacters, isDisplayName, isEmailAddress, MIN_PASSWORD_LENGTH } from '@provenance-registry/core';
import type { Validator } from './ui/Form.js';

const MAX_NAME_LENGTH = 120;
const MAX_KEY_NAME_LENGTH = 64;

export const validateEmail: Validator = (text) => {
  const email = text.trim();
  if (email === '') return 'Enter an email address.';
  return isEmailAddress(email) ? undefined : 'Enter a valid email address, such as ada@example.com.';
};

export const validateOptionalEmail: Validator = (text) => (text.trim() === '' ? undefined : validateEmail(text));

export const validatePassword: Validator = (text) => (text === '' ? 'Enter your password.' : undefined);

export const validateNewPassword: Validator = (text) =>
  countCharacters(text) < MIN_PASSWORD_LENGTH ? `Use at least ${MIN_PASSWORD_LENGTH} characters.` : undefined;

export const validateCode: Validator = (text) => (text.trim() === '' ? 'Enter the code.' : undefined);

export const validateName: Validator = (text) => validateNameLength(text, MAX_NAME_LENGTH);
export const validateKeyName: Validator = (text) => validateNameLength(text, MAX_KEY_NAME_LENGTH);

function validateNameLength(text: string, maxLength: number): string | undefined {
  if (text.trim() === '') return 'Enter a name.';
  if (countCharacters(text) > maxLength) return `Use at most ${maxLength} characters.`;
  return isDisplayName(text, maxLength) ? undefined : 'The name contains invisible characters.';
}

export const validateCount: Validator = (text) =>
  /^\d{1,6}$/.test(text) ? undefined : 'Enter a whole number, 0 or more.';

/** The service decides; this finds addresses of pages and of mail. */
export const validateDomain: Validator = (text) => {
  if (text.trim() === '') return 'Enter a domain.';
  return /^[^\s/:@]+\.[^\s/:@]+$/.test(text.trim()) ? undefined : 'Enter the domain alone, such as example.org.';
};

export const acceptAny: Validator = () => undefined;
