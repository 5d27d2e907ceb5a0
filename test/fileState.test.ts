// Whether `npm start` notices that it has to build again.

import { mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeFiles } from '../scripts/fileState.mjs';
import { temporaryFolder } from './support/service.js';

it('files that were written, replaced, added or removed make another state, and nothing else does', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'src', 'one.ts');
  await mkdir(join(folder, 'src'));
  await writeFile(file, 'one');
  await utimes(file, 1, 1);
  const describe = () => describeFiles([folder, join(folder, 'missing')]);
  const states = [describe()];
  expect(describe()).toBe(states[0]);

  await writeFile(file, 'two');
  // As tools do that unpack archives.
  await utimes(file, 1, 1);
  states.push(describe());
  await writeFile(join(folder, 'other'), 'one');
  states.push(describe());
  await rename(join(folder, 'other'), file);
  states.push(describe());
  await writeFile(join(folder, 'missing'), '');
  states.push(describe());
  await rm(file);
  states.push(describe());
  expect(new Set(states).size).toBe(states.length);
});
