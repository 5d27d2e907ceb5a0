import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../../scripts/sdkReference.mjs', import.meta.url));

test('every export of the SDK is documented with an example, and docs/sdk-reference.md is current', async () => {
  const { stderr } = await promisify(execFile)(process.execPath, [script, '--check']);
  expect(stderr).toBe('');
});
