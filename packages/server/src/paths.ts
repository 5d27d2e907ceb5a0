// Where this package is installed, and which release it is. This file must stay at the top of the source folder: compiled and bundled, it is one
// folder below the package.

import { readFileSync } from 'node:fs';
import Type from 'typebox';
import { Value } from 'typebox/value';

export const packageFolder = new URL('../', import.meta.url);

export function readVersion(): string {
  const text = readFileSync(new URL('package.json', packageFolder), 'utf8');
  return Value.Parse(Type.Object({ version: Type.String() }), JSON.parse(text)).version;
}
