// The formats of text in the schemas of the API: the exact check of each, and what an error says is expected. The
// patterns beside them are weaker: they use only what regular expressions of all languages share.

import type { TSchema } from 'typebox';
import {
  fingerprintPattern,
  isFileFingerprint,
  MAX_PREFIX_DIGITS,
  MIN_PREFIX_DIGITS,
  prefixPattern,
} from '../fingerprints/fingerprints.js';
import { isImageHash } from '../lookalikes.js';
import { isFilename, isMediaType, parseFileTime } from '../metadata/fileFields.js';
import { isPublicName } from './names.js';
import { isEmailAddress, isName, isPlainText, isPrintable, isWellFormed, uuidPattern } from './text.js';

interface Format {
  readonly validate: (text: string) => boolean;
  readonly expected: string;
}

/** Registered with the validator of the server. Lengths are checked before. */
export const formats: Readonly<Record<string, Format>> = {
  'display-name': {
    validate: isName,
    expected: 'a name with a visible character, without control characters or bidirectional overrides',
  },
  'public-name': {
    validate: isPublicName,
    expected:
      'a name with a visible character, without invisible characters, bidirectional overrides, check marks or the word ' +
      '"verified"',
  },
  'email-address': { validate: isEmailAddress, expected: 'an email address' },
  'printable-text': { validate: isPrintable, expected: 'text without control characters' },
  'plain-text': {
    validate: isPlainText,
    expected:
      'text with a visible character, without bidirectional overrides or control characters other than line breaks',
  },
  'well-formed-text': { validate: isWellFormed, expected: 'text without U+0000' },
  filename: {
    validate: isFilename,
    expected: 'a file name without control characters, bidirectional overrides or isolates',
  },
  'media-type': { validate: isMediaType, expected: 'a media type such as image/jpeg' },
  'image-code': {
    validate: isImageHash,
    expected: '"0x" and 16 lower-case hex digits, not all bits equal',
  },
  'file-time': {
    validate: (text) => parseFileTime(text) !== undefined,
    expected: 'an ISO 8601 date or time, or milliseconds since 1970',
  },
  'file-fingerprint': {
    validate: isFileFingerprint,
    expected: '0x followed by 64 lower-case hex digits, not all of them 0',
  },
};

const expectedByPattern: Readonly<Record<string, string>> = {
  [fingerprintPattern]: '0x followed by 64 lower-case hex digits',
  [prefixPattern]: `${MIN_PREFIX_DIGITS} to ${MAX_PREFIX_DIGITS} lower-case hex digits`,
  [uuidPattern]: 'a UUID',
};

interface FieldSchema extends TSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** What a field should be, as the end of a sentence: `an integer from 1 to 200`. */
export function describeExpected(schema: FieldSchema): string {
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  const form = formats[schema.format ?? '']?.expected ?? expectedByPattern[schema.pattern ?? ''];
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  if (form) return form + describeLength(schema);
  return types.map((type) => describeType(type, schema)).join(' or ') || 'a valid value';
}

function describeType(type: string, schema: FieldSchema): string {
  if (type === 'integer') return `an integer${describeRange(schema)}`;
  if (type === 'string') return `text${describeLength(schema)}`;
  if (type === 'array') return `an array${describeCount(schema)}`;
  return { boolean: 'true or false', null: 'null' }[type] ?? 'an object';
}

function describeLength({ minLength = 0, maxLength }: FieldSchema): string {
  return maxLength === undefined ? '' : ` (${minLength} to ${maxLength} characters)`;
}

function describeCount({ minItems = 0, maxItems }: FieldSchema): string {
  return maxItems === undefined ? '' : ` of ${minItems} to ${maxItems} items`;
}

function describeRange({ minimum, maximum }: FieldSchema): string {
  if (minimum === undefined) return '';
  return maximum === undefined ? ` of at least ${minimum}` : ` from ${minimum} to ${maximum}`;
}
