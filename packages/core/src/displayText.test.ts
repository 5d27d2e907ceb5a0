// Words about Artifacts: short enough, and safe beside other words.

import { expect, test } from 'vitest';
import { exampleMark } from './api/marks.js';
import { artifactTitle, quoted } from './displayText.js';

test('a title says what it is and whose, as far as one may know', () => {
  const metadata = { kind: 'image', filename: 'sunrise.jpg' } as const;
  const secret = { id: exampleMark.id, visibility: 'private' } as const;
  const status = 'submitted';
  const plain = (title: string) => title.replace(/[\u2068\u2069]/g, '');
  expect(plain(artifactTitle({ metadata, mark: exampleMark, status }))).toBe(
    'sunrise.jpg, registered by Ada Lovelace Photography',
  );
  expect(artifactTitle({ metadata: { kind: 'audio' }, mark: secret, status })).toBe(
    'A recording, registered under a private Mark',
  );
  expect(artifactTitle({ metadata: { kind: 'other' }, mark: exampleMark, status: 'failed' })).toBe(
    'A file, not registered',
  );
});

test('a long name is cut between characters, and one that turns its text around stays by itself', () => {
  expect(quoted('🌄'.repeat(100), 5)).toBe('\u2068🌄🌄🌄🌄…\u2069');
  expect(quoted('photo\u202Egnp.exe')).toBe('\u2068photognp.exe\u2069');
});
