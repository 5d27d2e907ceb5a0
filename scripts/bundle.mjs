// Bundles a program and its dependencies into a few files: `bundle.mjs server` and `bundle.mjs cli`. Reading hundreds of
// files takes most of a program's start time. Rarely needed modules stay in chunks of their own.

import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { collectLicenses } from './bundledLicenses.mjs';
import { externalPackages } from './externalPackages.mjs';

/** Without the default export, which has all of TypeBox: its parser and more, a fifth of the code that `verify` loads. */
const LEAN_TYPEBOX = "import * as Type from 'typebox';";

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
  plugins: [
    {
      name: 'lean-typebox',
      transform: (code) => code.replace(/^import Type(?:, \{\})? from 'typebox';$/m, LEAN_TYPEBOX),
    },
  ],
});
const { output } = await bundle.write({ dir: join(folder, 'bundle'), format: 'esm', cleanDir: true });
const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
await writeFile(join(folder, 'bundle/LICENSES.txt'), await collectLicenses(modules));
if (name === 'cli') await writeFile(join(folder, 'bundle/provenance.1'), await renderManual());

/** The manual page of the command. */
async function renderManual() {
  const { renderManPage } = await import('../packages/cli/dist/manPage.js');
  const { rootGroup } = await import('../packages/cli/dist/commands/index.js');
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return renderManPage(rootGroup, version);
}

/** Workers run from files of their own. Found by their sources: `dist` may still have one that was renamed. */
function findWorkers() {
  const sources = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' });
  const workers = sources.filter((file) => file.endsWith('Worker.ts')).map((file) => file.replace(/ts$/, 'js'));
  return Object.fromEntries(workers.map((file) => [basename(file, '.js'), join(folder, 'dist', file)]));
}
