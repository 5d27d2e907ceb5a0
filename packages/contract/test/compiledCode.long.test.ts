// The generated files against their sources.

import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { generate } from '../scripts/compile.mjs';

/** Ends a compiler that hangs; it takes ten seconds alone. */
const HANG_TIMEOUT_MS = 3_600_000;

it('the committed interfaces and code are what the sources compile to', { timeout: HANG_TIMEOUT_MS }, async () => {
  for (const { path, text } of generate()) expect(text).toBe(await readFile(path, 'utf8'));
});
