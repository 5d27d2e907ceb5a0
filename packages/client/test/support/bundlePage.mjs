// Builds the test page for production as its users do, with Vite and with esbuild, each into a subfolder of its own.

import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import * as vite from 'vite';

const [root = '', outDir = ''] = process.argv.slice(2);

await vite.build({
  root,
  base: '/vite/',
  logLevel: 'error',
  build: { outDir: join(outDir, 'vite'), emptyOutDir: true },
});

await esbuild.build({
  entryPoints: {
    main: join(root, 'mainForEsbuild.js'),
    hashWorker: '@provenance-registry/client/hashWorker',
    embeddedWorker: '@provenance-registry/client/embeddedWorker',
    imageHashWorker: '@provenance-registry/client/imageHashWorker',
    soundHashWorker: '@provenance-registry/client/soundHashWorker',
  },
  outdir: join(outDir, 'esbuild'),
  bundle: true,
  format: 'esm',
  splitting: true,
  minify: true,
  loader: { '.wasm': 'file' },
});
await copyFile(join(root, 'index.html'), join(outDir, 'esbuild', 'index.html'));
