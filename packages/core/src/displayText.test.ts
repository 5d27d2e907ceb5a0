import { expect, test } from 'vitest';
import { exampleMark } from './api/marks.js';
import { artifactTitle, formatName } from './displayText.js';

test('a title names the file and its Mark, as far as the reader may see them', () => {
  const metadata = { kind: 'image', filename: 'sunrise.jpg' } as const;
  const privateMark = { id: exampleMark.id, visibility: 'private' } as const;
  const status = 'submitted';
  const withoutIsolates = (title: string) => title.replace(/[\u2068\u2069]/g, '');
  expect(withoutIsolates(artifactTitle({ metadata, mark: exampleMark, status }))).toBe(
    'sunrise.jpg, registered by Ada Lovelace Photography',
  );
  expect(artifactTitle({ metadata: { kind: 'audio' }, mark: privateMark, status })).toBe(
    'A recording, registered under a private Mark',
  );
  expect(artifactTitle({ metadata: { kind: 'other' }, mark: exampleMark, status: 'failed' })).toBe(
    'A file, not registered',
  );
});

test('a long name is cut between characters, and bidirectional overrides are removed', () => {
  expect(formatName('🌄'.repeat(100), 5)).toBe('\u2068🌄🌄🌄🌄…\u2069');
  expect(formatName('photo\u202Egnp.exe')).toBe('\u2068photognp.exe\u2069');
});
