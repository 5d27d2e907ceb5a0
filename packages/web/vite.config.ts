// Builds the pages: files with content hashes in their names, precompressed, without inline assets, which the
// Content-Security-Policy blocks.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, defineConfig, type Plugin } from 'vite';
import { cssModules } from '../../scripts/cssModules.mjs';
import { writeIconSet } from '../../scripts/iconSet.mjs';
import packageJson from './package.json' with { type: 'json' };
import { writeReference } from './reference/document.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const outDir = join(folder, 'dist', 'page');
/** The highest quality takes ten seconds for the verifier and saves only five percent. */
const BROTLI_QUALITY = 6;

/** What only the API reference needs of the declarations of operations: a third of the client. */
const documentation = new Set([
  ...['summary', 'description', 'tag', 'errors'],
  ...['example', 'exampleBody', 'exampleFile', 'exampleQuery', 'exampleItems', 'exampleResults'],
]);

/** Removes the documentation from the operations, and the parts of TypeBox that only its default export has. */
function leanDeclarations(): Plugin {
  return {
    name: 'lean-declarations',
    apply: 'build',
    transform(code, id) {
      if (!/\/packages\/(core|client|chain-client)\/dist\//.test(id)) return undefined;
      const lean = /\/core\/dist\/api\//.test(id) ? removeRanges(code, findDocumentation(this.parse(code))) : code;
      return {
        code: lean.replace(/^import Type(, \{\})? from 'typebox';$/m, "import * as Type from 'typebox';"),
        map: null,
      };
    },
  };
}

type Range = readonly [start: number, end: number];

/** Properties of object literals, with their names and values. */
function findDocumentation(node: unknown): Range[] {
  if (typeof node !== 'object' || node === null) return [];
  if (isDocumentation(node)) return [[node.start, node.end]];
  return Object.values(node).flatMap(findDocumentation);
}

function isDocumentation(node: object): node is { start: number; end: number } {
  if (!('type' in node && node.type === 'Property' && 'key' in node && 'shorthand' in node && !node.shorthand))
    return false;
  const { key } = node;
  return typeof key === 'object' && key !== null && 'name' in key && documentation.has(String(key.name));
}

/** Each with the comma behind it. */
function removeRanges(code: string, ranges: readonly Range[]): string {
  let [kept, position] = ['', 0];
  for (const [start, end] of ranges) {
    kept += code.slice(position, start);
    position = end + (/^\s*,/.exec(code.slice(end))?.[0].length ?? 0);
  }
  return kept + code.slice(position);
}

function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    closeBundle(error) {
      // A failed build has written nothing, and reports why.
      if (error) return;
      for (const name of readdirSync(join(outDir, 'assets'))) {
        if (!/\.(js|css|svg|wasm)$/.test(name)) continue;
        const path = join(outDir, 'assets', name);
        if (existsSync(`${path}.br`)) continue;
        const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
        writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path), { params }));
        writeFileSync(`${path}.gz`, gzipSync(readFileSync(path)));
      }
    },
  };
}

/** Scripts at stable addresses, each in a single file: the badge for other websites, and the theme of all pages. */
function buildScripts(): Plugin {
  return {
    name: 'build-scripts',
    apply: 'build',
    async closeBundle() {
      for (const name of ['badge', 'theme']) {
        const entry = join(folder, 'src', name, `${name}.ts`);
        await build({
          configFile: false,
          logLevel: 'warn',
          build: {
            outDir,
            emptyOutDir: false,
            target: 'es2022',
            lib: { entry, formats: ['iife'], name: `provenance_${name}`, fileName: () => `${name}.js` },
          },
        });
      }
    },
  };
}

/** The API reference, whose documents are without the application. Built alone, to share no chunk with it. */
function buildReference(): Plugin {
  return {
    name: 'build-reference',
    apply: 'build',
    async closeBundle() {
      await build({
        configFile: false,
        root: folder,
        logLevel: 'warn',
        css: { modules: cssModules },
        plugins: [leanDeclarations(), precompress()],
        build: { ...output, emptyOutDir: false, rolldownOptions: { input: join(folder, 'static.html') } },
      });
      writeReference(outDir, packageJson.version);
    },
  };
}

const output = { outDir, assetsInlineLimit: 0, target: 'es2022', modulePreload: { polyfill: false } } as const;

function buildIcons(): Plugin {
  return {
    name: 'build-icons',
    apply: 'build',
    closeBundle: () => writeIconSet(join(folder, 'src', 'icon.svg'), join(outDir, 'icons')),
  };
}

interface ModuleGraph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

/** Modules of the front page that it does not load on demand: in one chunk, which compresses better than twenty. */
function nameFrontChunk(id: string, graph: ModuleGraph): string | null {
  if (frontModules.size === 0) collect(entry);
  return frontModules.has(id) && id !== entry ? 'front' : null;

  function collect(module: string): void {
    if (!module.startsWith(sources) || frontModules.has(module)) return;
    frontModules.add(module);
    for (const imported of graph.getModuleInfo(module)?.importedIds ?? []) collect(imported);
  }
}

const sources = join(folder, 'src');
const entry = join(sources, 'main.tsx');
const frontModules = new Set<string>();

export default defineConfig({
  root: folder,
  // Four megabytes that the decoder of Opus loads for speech of bad quality only, which is not asked for.
  resolve: { alias: { '@wasm-audio-decoders/opus-ml': join(folder, 'src', 'emptyModule.ts') } },
  plugins: [leanDeclarations(), precompress(), buildScripts(), buildReference(), buildIcons()],
  css: { modules: cssModules },
  worker: { format: 'es' },
  // Read by the service, which lets browsers load the scripts of a page early.
  build: {
    ...output,
    emptyOutDir: true,
    manifest: 'manifest.json',
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: nameFrontChunk, debugName: 'front' }] } } },
  },
});
