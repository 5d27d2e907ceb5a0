import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { loadEdr } from './edr.js';

const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
const version: string = manifest.dependencies['@nomicfoundation/edr'];

it('On a platform whose library is not installed, the error names the package and its version', () => {
  expect(() => loadEdr('win32-x64')).toThrow(`@nomicfoundation/edr-win32-x64-msvc@${version}. Install it`);
});

it('On a platform without a library, the error names the setting', () => {
  expect(() => loadEdr('aix-ppc64')).toThrow('set RPC_URL');
});
