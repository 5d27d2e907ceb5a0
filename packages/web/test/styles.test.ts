// Style sheets of the pages and the extension: nothing unused, no color outside the tokens.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { writeClassTypes } from '../../../scripts/cssModules.mjs';

const packages = fileURLToPath(new URL('../..', import.meta.url));
const paths = ['web/src', 'web/reference', 'extension/src'].flatMap((folder) =>
  readdirSync(join(packages, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
);
const read = (path: string) => readFileSync(join(packages, path), 'utf8');
const modules = paths.filter((path) => path.endsWith('.module.css'));
const sheets = paths.filter((path) => path.endsWith('.css'));
const sources = paths.filter((path) => /(?<!\.css)\.tsx?$/.test(path)).map((path) => ({ path, text: read(path) }));

test('every class of a CSS module is used, and no two modules have the same name', () => {
  const names = modules.map((path) => basename(path));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  const unused = modules.flatMap((path) => {
    const importers = sources.flatMap(({ text }) => {
      const found = new RegExp(`import \\* as (\\w+) from '[^']*/${basename(path)}'`).exec(text);
      return found?.[1] === undefined ? [] : [{ text, name: found[1] }];
    });
    const classes = [...writeClassTypes(read(path)).matchAll(/const (\w+)/g)].map(([, name = '']) => name);
    return classes
      .filter((one) => !importers.some(({ text, name }) => new RegExp(`\\b${name}(\\.${one}\\b|\\[)`).test(text)))
      .filter((one) => !new RegExp(`composes: ${one};`).test(read(path)))
      .map((one) => `${path}: ${one}`);
  });
  expect(unused).toEqual([]);
});

test('global style sheets name elements, the frame of documents, and what documents without the application have', () => {
  const isGlobal = (path: string) => !path.endsWith('.module.css');
  expect(new Set(sheets.filter(isGlobal).map((path) => dirname(path)))).toEqual(
    new Set(['web/src/ui/styles', 'web/src/static', 'extension/src']),
  );
  const named = sheets.filter((path) => path.startsWith('web/src/ui/styles') || path.startsWith('extension/src/'));
  const classes = named.filter(isGlobal).flatMap((path) => writeClassTypes(read(path)).match(/(?<=const )\w+/g) ?? []);
  expect(classes.toSorted()).toEqual(['bar', 'brand', 'foot', 'skip', 'theme']);
});

test('only the tokens name colors, and sizes and weights of type', () => {
  const color = /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(|:\s*(?:white|black)\b/i;
  const type = /\bfont(?:-size)?:[^;]*\d(?:r?em|px|pt|%)|\bfont(?:-weight)?: [1-9]/;
  const findUses = (pattern: RegExp) => sheets.filter((path) => pattern.test(read(path)));
  expect(findUses(color)).toEqual(['web/src/ui/styles/tokens.css']);
  expect(findUses(type)).toEqual(['web/src/ui/styles/tokens.css']);
});
