// Links that let the browser load the scripts and styles of a page while it loads those of the application, which would
// otherwise request them later, one level of imports after the other.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Type from 'typebox';
import { Value } from 'typebox/value';

/** What Vite writes: the chunks by their source files or names. */
const BuildManifest = Type.Record(
  Type.String(),
  Type.Object({
    file: Type.String(),
    imports: Type.Optional(Type.Array(Type.String())),
    css: Type.Optional(Type.Array(Type.String())),
  }),
);

const ENTRY = 'index.html';

/** @returns the links for a page, by the source file of its component */
export function readModulePreloads(folder: string): (sourceFile: string) => string {
  const manifest = Value.Parse(BuildManifest, JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
  const collect = (name: string, found: Set<string>) => {
    const chunk = manifest[name];
    if (!chunk) throw new Error(`the built page has no ${name}`);
    if (found.has(name)) return found;
    found.add(name);
    for (const imported of chunk.imports ?? []) collect(imported, found);
    return found;
  };
  const initial = collect(ENTRY, new Set());
  return (sourceFile) => {
    const chunks = [...collect(sourceFile, new Set())].filter((name) => !initial.has(name));
    const scripts = chunks.map((name) => `<link rel="modulepreload" crossorigin href="/${manifest[name]?.file}">`);
    const styles = chunks.flatMap((name) => manifest[name]?.css ?? []);
    return [...scripts, ...styles.map((file) => `<link rel="stylesheet" crossorigin href="/${file}">`)].join('\n    ');
  };
}
