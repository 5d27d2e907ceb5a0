// The generated file against its sources.

import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { generate, generatedFile } from '../scripts/compile.mjs';

/** Ends a compiler that hangs; it takes ten seconds alone. */
const HANG_TIMEOUT_MS = 3_600_000;

it('the committed interface and code are what the sources compile to', { timeout: HANG_TIMEOUT_MS }, async () => {
  expect(generate()).toBe(await readFile(generatedFile, 'utf8'));
});
