// A row for tests.

import { exampleArtifact, exampleMark } from '@provenance-registry/core';
import type { HashedRow } from './queueRow.js';

export const exampleRow: HashedRow = {
  id: '1',
  markId: exampleMark.id,
  filename: 'a.jpg',
  folder: '',
  size: 1,
  mediaType: 'image/jpeg',
  lastModified: 7,
  fingerprint: exampleArtifact.fingerprint,
  state: 'pending',
  hashedBytes: 0,
  note: undefined,
  isSignedCopy: false,
  wantsCopy: false,
  digitalSourceType: undefined,
  authorshipStated: false,
  copy: undefined,
  copyNote: undefined,
  codes: undefined,
  similar: [],
  idempotencyKey: 'key',
};
