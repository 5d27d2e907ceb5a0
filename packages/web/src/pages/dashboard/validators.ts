// What a form finds wrong before it asks the service, by the service's own rules.

import { countCharacters, isDisplayName, isEmailAddress, MIN_PASSWORD_LENGTH } from '@provenance-registry/core';
import type { Check } from '../../ui/Form.js';

const MAX_NAME = 120;
const MAX_KEY_NAME = 64;

export const wrongEmail: Check = (text) => {
  if (text.trim() === '') return 'Enter an email address.';
  return isEmailAddress(text) ? undefined : 'Enter an email address such as ada@example.com.';
};

export const wrongPassword: Check = (text) => (text === '' ? 'Enter your password.' : undefined);

export const wrongNewPassword: Check = (text) =>
  countCharacters(text) < MIN_PASSWORD_LENGTH
    ? `Choose a password of at least ${MIN_PASSWORD_LENGTH} characters.`
    : undefined;

export const wrongName: Check = (text) => wrongNameOf(text, MAX_NAME);
export const wrongKeyName: Check = (text) => wrongNameOf(text, MAX_KEY_NAME);

function wrongNameOf(text: string, maxLength: number): string | undefined {
  if (text.trim() === '') return 'Enter a name.';
  if (countCharacters(text) > maxLength) return `Choose a name of at most ${maxLength} characters.`;
  return isDisplayName(text, maxLength) ? undefined : 'This name has characters in it that nobody can see.';
}

export const wrongCount: Check = (text) => (/^\d{1,6}$/.test(text) ? undefined : 'Enter a whole number, 0 or more.');

export const anything: Check = () => undefined;
