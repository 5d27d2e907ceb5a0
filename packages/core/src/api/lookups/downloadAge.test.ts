// The age of downloads, by the table that the Python package follows too.

import { expect, test } from 'vitest';
import cases from '../../../../../test/support/downloadAges.json' with { type: 'json' };
import { judgeDownloadAge } from './downloadAge.js';
import type { DownloadIndex } from './downloads.js';

test.each(cases)('$name is $expected', ({ nextAfterMs, ageMs, expected }) => {
  const created = Date.UTC(2026, 5, 1);
  const index: DownloadIndex = {
    version: 1,
    registry: 'https://registry.example',
    createdAt: new Date(created).toISOString(),
    ...(nextAfterMs !== null && { nextAt: new Date(created + nextAfterMs).toISOString() }),
    chain: { contract: `0x${'1'.repeat(40)}`, mirroredBlock: null },
    filesUrl: 'https://registry.example/cdn',
    filter: { sha256: '0'.repeat(64), size: 44, count: 1 },
    pieces: [],
  };
  expect(judgeDownloadAge(index, new Date(created + ageMs))).toBe(expected);
});
