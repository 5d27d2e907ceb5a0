// The SDK's page: every example on it, as one script, in a folder with one file.

import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startService, temporaryFolder } from '../../../test/support/service.js';

const page = new URL('../../../docs/sdk.md', import.meta.url);
const installed = fileURLToPath(new URL('../../../node_modules', import.meta.url));

test('the examples of the SDK work as they stand, and say what the page says', async () => {
  const service = await startService();
  const text = await readFile(page, 'utf8');
  const blocks = [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  const promised = blocks.flatMap((code) =>
    [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, said]) => said),
  );
  const folder = await temporaryFolder();
  await symlink(installed, join(folder, 'node_modules'));
  await writeFile(join(folder, 'note.txt'), 'The Analytical Engine weaves algebraical patterns.\n');
  await writeFile(join(folder, 'script.mjs'), blocks.join('\n').replaceAll('http://127.0.0.1:8080', service.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['script.mjs'], { cwd: folder, env: {} });
  expect(stderr).toBe('');
  const lines = stdout.trim().split('\n');
  expect(lines.filter((line) => !line.includes(' confirmed '))).toEqual(promised);
  expect(lines.filter((line) => line.includes(' confirmed ')).map((line) => line.split(' ')[0])).toEqual([
    'registry',
    'chain',
    'manifest',
  ]);
});
