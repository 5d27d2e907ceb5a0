// Form validation, by the rules of the service.

import { countCharacters, isDisplayName, isEmailAddress, MIN_PASSWORD_LENGTH } from '@provenance-registry/core';
import * as texts from '#texts/site/validation';
import type { Validator } from './ui/form/Form.js';

const MAX_NAME_LENGTH = 120;
const MAX_KEY_NAME_LENGTH = 64;

export const validateEmail: Validator = (text) => {
  const email = text.trim();
  if (email === '') return texts.noEmail;
  return isEmailAddress(email) ? undefined : texts.invalidEmail;
};

export const validateOptionalEmail: Validator = (text) => (text.trim() === '' ? undefined : validateEmail(text));

export const validatePassword: Validator = (text) => (text === '' ? texts.noPassword : undefined);

export const validateNewPassword: Validator = (text) =>
  countCharacters(text) < MIN_PASSWORD_LENGTH ? texts.tooShort(MIN_PASSWORD_LENGTH) : undefined;

export const validateCode: Validator = (text) => (text.trim() === '' ? texts.noCode : undefined);

export const validateName: Validator = (text) => validateNameLength(text, MAX_NAME_LENGTH);
export const validateKeyName: Validator = (text) => validateNameLength(text, MAX_KEY_NAME_LENGTH);

function validateNameLength(text: string, maxLength: number): string | undefined {
  if (text.trim() === '') return texts.noName;
  if (countCharacters(text) > maxLength) return texts.tooLong(maxLength);
  return isDisplayName(text, maxLength) ? undefined : texts.invisibleCharacters;
}

export const validateCount: Validator = (text) => (/^\d{1,6}$/.test(text) ? undefined : texts.noCount);

/** The service decides; this finds addresses of pages and of mail. */
export const validateDomain: Validator = (text) => {
  if (text.trim() === '') return texts.noDomain;
  return /^[^\s/:@]+\.[^\s/:@]+$/.test(text.trim()) ? undefined : texts.invalidDomain;
};

export const acceptAny: Validator = () => undefined;
