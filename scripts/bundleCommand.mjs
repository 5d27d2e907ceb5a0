// Joins the `provenance` command and what it uses into a few files: a command that people type must not read hundreds of
// them each time. What is needed seldom stays in files of its own.

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const cli = fileURLToPath(new URL('../packages/cli/', import.meta.url));

const bundle = await rolldown({
  input: join(cli, 'dist/main.js'),
  platform: 'node',
  // It is JavaScript already, and tests need not be there.
  tsconfig: false,
  // It comes with a file of WebAssembly, found by its package's name.
  external: ['@contentauth/c2pa-wasm'],
});
const { output } = await bundle.write({ dir: join(cli, 'bundle'), format: 'esm', cleanDir: true });
const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
await writeFile(join(cli, 'bundle/LICENSES.txt'), await licencesOf(modules));

/**
 * Of the packages that others wrote, as their licences ask.
 * @param {string[]} files
 */
async function licencesOf(files) {
  const folders = new Set(files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []));
  const texts = [...folders].toSorted().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} has no licence file`);
    return `${name} ${version} (${license})\n\n${(await readFile(join(folder, file), 'utf8')).trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}
