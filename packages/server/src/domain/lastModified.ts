// The time at which a file was last modified, as clients send it.

import { RegistryError } from '@provenance-registry/core';

const isoTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Takes ISO 8601, or milliseconds since 1970 as a number or as digits, since form fields are text. Everything else that
 * `Date` would guess at is refused. A time without a zone is UTC: the server's own zone says nothing about the file.
 */
export function parseLastModified(value: string | number): string {
  const text = String(value);
  const iso = isoTime.exec(text);
  const zoned = iso && (iso[1] || !text.includes('T') ? text : `${text}Z`);
  const time = new Date(/^\d+$/.test(text) ? Number(text) : (zoned ?? Number.NaN));
  // RFC 3339 has no years before 0 or after 9999.
  if (Number.isNaN(time.getTime()) || !/^\d{4}-/.test(time.toISOString())) {
    throw new RegistryError('BAD_REQUEST', 'lastModified is not a time.');
  }
  return time.toISOString();
}
