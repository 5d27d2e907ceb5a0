// What people are told about Artifacts, in the words that the page and the heads of its documents share.

import type { Artifact, Kind } from './api/artifacts.js';

/** A file name may have a thousand characters; a title with more than this is cut anyway, by whoever shows it. */
const TITLE_CHARACTERS = 60;

export const kindNames: Readonly<Record<Kind, string>> = {
  image: 'An image',
  audio: 'A recording',
  video: 'A video',
  document: 'A document',
  other: 'A file',
};

/** What it is, as far as one may know, and whose. */
export function artifactTitle({ metadata, mark, status }: Pick<Artifact, 'metadata' | 'mark' | 'status'>): string {
  const what = metadata.filename === undefined ? kindNames[metadata.kind] : quoted(metadata.filename);
  if (status === 'failed') return `${what}, not registered`;
  return `${what}, registered ${'name' in mark ? `by ${quoted(mark.name)}` : 'under a private Mark'}`;
}

export function aiPreference(allowed: boolean | null): string {
  if (allowed === null) return 'No preference stated.';
  return allowed ? 'May be used to train AI models.' : 'May not be used to train AI models.';
}

/** Names of people and files within a sentence: cut when they are long, and kept from turning around what is beside them. */
export function quoted(name: string, maxCharacters = TITLE_CHARACTERS): string {
  const characters = [...name.replace(/[\u202A-\u202E\u2066-\u2069]/g, '')];
  const shown = characters.length > maxCharacters ? [...characters.slice(0, maxCharacters - 1), '…'] : characters;
  return `\u2068${shown.join('')}\u2069`;
}
