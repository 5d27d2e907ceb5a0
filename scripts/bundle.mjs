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

/** What is loaded together, each in one chunk with all that it imports: a file takes Node about a millisecond. */
const joinedModules = /** @type {Record<string, Record<string, readonly string[]>>} */ ({
  cli: {
    // First, because the thread that reads manifests loads nothing of the command.
    errors: ['client/dist/errors.js'],
    start: ['cli/dist/program.js'],
    files: ['cli/dist/inputs/run.js', 'cli/dist/hashing.js'],
    manifests: ['cli/dist/verify/manifestWorker.js'],
    verify: [
      'cli/dist/trust/registryCheck.js',
      'cli/dist/trust/registryRecords.js',
      'cli/dist/verify/formats.js',
      'cli/dist/verify/verifier.js',
      'client/dist/index.js',
      'client/dist/resultChecks.js',
      'client/dist/verification/bundleProof.js',
      'client/dist/verification/chain.js',
    ],
  },
});

const [name = ''] = process.argv.slice(2);
const body = bodies[name] ?? '';
const folder = fileURLToPath(new URL(`../packages/${name}/`, import.meta.url));

const bundle = await rolldown({
  input: { main: join(folder, 'dist/main.js'), [basename(body)]: join(folder, `dist/${body}.js`), ...findWorkers() },
  platform: 'node',
  // The input is JavaScript already.
  tsconfig: false,
  external: externalPackages,
  preserveEntrySignatures: 'allow-extension',
  plugins: [
    {
      name: 'lean-typebox',
      transform: (code) => code.replace(/^import Type(?:, \{\})? from 'typebox';$/m, LEAN_TYPEBOX),
    },
  ],
});
// Bundled twice: the first bundle shows what is left of each import without the code that nothing uses.
const groups = groupModules((await bundle.generate()).output, joinedModules[name] ?? {});
const { output } = await bundle.write({
  ...{ dir: join(folder, 'bundle'), format: 'esm', cleanDir: true },
  codeSplitting: { groups, includeDependenciesRecursively: false },
});
const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
await writeFile(join(folder, 'bundle/LICENSES.txt'), await collectLicenses(modules));
if (name === 'cli') await writeFile(join(folder, 'bundle/provenance.1'), await renderManual());

/**
 * A module that several groups import is in the first.
 * @param {readonly (import('rolldown').OutputChunk | import('rolldown').OutputAsset)[]} chunks
 * @param {Record<string, readonly string[]>} joined
 */
function groupModules(chunks, joined) {
  const moduleIds = new Map(chunks.map((chunk) => [chunk.fileName, chunk.type === 'chunk' ? chunk.moduleIds : []]));
  const imports = new Map(chunks.map((chunk) => [chunk.fileName, chunk.type === 'chunk' ? chunk.imports : []]));
  return Object.entries(joined).map(([group, roots]) => {
    const rootIds = roots.map((root) => join(folder, '..', root));
    const files = new Set(
      [...imports.keys()].filter((file) => moduleIds.get(file)?.some((id) => rootIds.includes(id))),
    );
    // A set that grows is iterated to its end.
    for (const file of files) for (const imported of imports.get(file) ?? []) files.add(imported);
    const ids = new Set([...files].flatMap((file) => moduleIds.get(file) ?? []));
    return { name: group, test: (/** @type {string} */ id) => ids.has(id) };
  });
}

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
