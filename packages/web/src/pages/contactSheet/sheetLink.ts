// The link of a contact sheet: title and fingerprints are in its fragment, which browsers do not send, so that nothing is stored
// on the server. `1.<count>.<title>.<fingerprints>`, the last two in base64url.

import type { Fingerprint } from '@provenance-registry/core';

export const MAX_SHEET_FILES = 200;
export const MAX_SHEET_TITLE_LENGTH = 120;

const VERSION = '1';
const FINGERPRINT_BYTES = 32;

export interface Sheet {
  readonly title: string;
  readonly fingerprints: readonly Fingerprint[];
}

/** `empty`: there is nothing in the link. `version`: a later version of the service made it. */
export type SheetProblem = 'empty' | 'version' | 'broken';

export function sheetAddress(sheet: Sheet): string {
  return `/contact-sheet#${encodeSheet(sheet)}`;
}

export function encodeSheet({ title, fingerprints }: Sheet): string {
  const bytes = new Uint8Array(fingerprints.length * FINGERPRINT_BYTES);
  for (const [index, fingerprint] of fingerprints.entries()) {
    const digits = fingerprint.slice(2).match(/../g) ?? [];
    bytes.set(
      digits.map((pair) => Number.parseInt(pair, 16)),
      index * FINGERPRINT_BYTES,
    );
  }
  const text = new TextEncoder().encode(title.slice(0, MAX_SHEET_TITLE_LENGTH));
  return [VERSION, fingerprints.length, toBase64Url(text), toBase64Url(bytes)].join('.');
}

/** The count tells a complete link from one that was cut off. */
export function decodeSheet(fragment: string): Sheet | SheetProblem {
  const [version = '', count = '', title = '', data = '', ...rest] = fragment.split('.');
  if (fragment === '') return 'empty';
  if (version !== VERSION) return /^[1-9]\d{0,3}$/.test(version) ? 'version' : 'broken';
  const bytes = fromBase64Url(data);
  const text = fromBase64Url(title);
  if (!bytes || !text || rest.length > 0 || !/^[1-9]\d{0,2}$/.test(count)) return 'broken';
  if (Number(count) > MAX_SHEET_FILES || bytes.length !== Number(count) * FINGERPRINT_BYTES) return 'broken';
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const fingerprints = (digits.match(/.{64}/g) ?? []).map((hex): Fingerprint => `0x${hex}`);
  return { title: cleanTitle(new TextDecoder().decode(text)), fingerprints: [...new Set(fingerprints)] };
}

/** Anyone can write a title: without controls, also those that turn the direction of the text around it. */
function cleanTitle(title: string): string {
  return title
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .trim()
    .slice(0, MAX_SHEET_TITLE_LENGTH);
}

function toBase64Url(bytes: Uint8Array): string {
  const characters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(characters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Undefined when it is not base64url. */
function fromBase64Url(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined;
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
      character.charCodeAt(0),
    );
  } catch {
    return undefined;
  }
}
