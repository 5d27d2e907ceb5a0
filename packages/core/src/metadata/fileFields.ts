// What a caller states about a file: its name, media type and time. Schemas and exact checks.

import Type from 'typebox';

const MAX_FILENAME_LENGTH = 1024;

/** The pattern is what all tools can read; the format is the exact check. */
export const Filename = Type.String({
  minLength: 1,
  maxLength: MAX_FILENAME_LENGTH,
  pattern: '^[^\\x00-\\x1F\\x7F-\\x9F]+$',
  format: 'filename',
  description: 'The name of the file, for display only.',
});

/** No control characters, lone surrogates, bidirectional overrides or isolates: they only hide text. */
const filenameForm = /^[^\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]+$/u;

export function isFilename(text: string): boolean {
  return text.length <= 2 * MAX_FILENAME_LENGTH && [...text].length <= MAX_FILENAME_LENGTH && filenameForm.test(text);
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** A media type of RFC 9110, section 8.3.1. Each character has one meaning at most: no text takes long to refuse. */
const mediaTypePattern = `^${token}/${token}([ \\t]*;([ \\t]*${token}=(${token}|"[^"\\x00-\\x1F\\x7F-\\x9F]*"))?)*[ \\t]*$`;
const MAX_MEDIA_TYPE_LENGTH = 255;

export const MediaType = Type.String({
  minLength: 3,
  maxLength: MAX_MEDIA_TYPE_LENGTH,
  pattern: mediaTypePattern,
  format: 'media-type',
  description: 'Such as `image/jpeg`.',
});

const mediaTypeForm = new RegExp(mediaTypePattern);

export function isMediaType(text: string): boolean {
  return text.length <= MAX_MEDIA_TYPE_LENGTH && mediaTypeForm.test(text);
}

export const FileTime = Type.Unsafe<string | number>({
  // Go and its generators know no list of two types. The maximum is the last millisecond of the year 9999: RFC 3339 cannot
  // express later times.
  anyOf: [{ type: 'string' }, { type: 'integer', minimum: 0, maximum: 253_402_300_799_999 }],
  format: 'file-time',
  description: 'When the file was last modified: ISO 8601, or milliseconds since 1970 as in browsers.',
});

const isoTime = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Takes ISO 8601, or milliseconds since 1970 as a number or as digits, since form fields are text. Undefined for
 * everything else that `Date` would guess at. A time without a zone is UTC: the server's own zone says nothing about the
 * file.
 */
export function parseFileTime(value: string | number): string | undefined {
  const text = String(value);
  const iso = isoTime.exec(text);
  // `Date` takes February 30 for March 2.
  if (iso && toIsoTime(`${iso[1]}T00:00:00Z`)?.slice(0, 10) !== iso[1]) return undefined;
  const zoned = iso && (iso[2] || !text.includes('T') ? text : `${text}Z`);
  return toIsoTime(/^\d{1,15}$/.test(text) ? Number(text) : (zoned ?? Number.NaN));
}

/** RFC 3339 has no years before 0 or after 9999. */
function toIsoTime(value: string | number): string | undefined {
  const time = new Date(value);
  const text = Number.isNaN(time.getTime()) ? '' : time.toISOString();
  return /^\d{4}-/.test(text) ? text : undefined;
}
