// Display text about Artifacts, shared by the web pages and their server-rendered metadata.

import type { Artifact, Kind } from './api/artifacts.js';

/** Filenames may have 1,024 characters; browsers and link previews cut longer titles anyway. */
const MAX_TITLE_CHARACTERS = 60;

export const kindNames: Readonly<Record<Kind, string>> = {
  image: 'An image',
  audio: 'A recording',
  video: 'A video',
  document: 'A document',
  other: 'A file',
};

/** What the file is and the Mark it is registered under, as far as the reader may see them. */
export function artifactTitle({ metadata, mark, status }: Pick<Artifact, 'metadata' | 'mark' | 'status'>): string {
  const subject = metadata.filename === undefined ? kindNames[metadata.kind] : formatName(metadata.filename);
  if (status === 'failed') return `${subject}, not registered`;
  return `${subject}, registered ${'name' in mark ? `by ${formatName(mark.name)}` : 'under a private Mark'}`;
}

export function describeAiPreference(allowed: boolean | null): string {
  if (allowed === null) return 'No preference stated.';
  return allowed ? 'May be used to train AI models.' : 'May not be used to train AI models.';
}

/** A user-supplied name for use within a sentence: shortened, and isolated so that it cannot reorder the text around it. */
export function formatName(name: string, maxCharacters = MAX_TITLE_CHARACTERS): string {
  const characters = [...name.replace(/[\u202A-\u202E\u2066-\u2069]/g, '')];
  const kept = characters.length > maxCharacters ? [...characters.slice(0, maxCharacters - 1), '…'] : characters;
  return `\u2068${kept.join('')}\u2069`;
}
