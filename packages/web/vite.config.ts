// How the page is built: files with their contents' hashes in their names, compressed beforehand, nothing inlined that
// the Content-Security-Policy would refuse.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build, defineConfig, type Plugin } from 'vite';

const folder = fileURLToPath(new URL('.', import.meta.url));
const outDir = join(folder, 'dist', 'page');
/** The highest takes ten seconds for the verifier, and saves a twentieth. */
const BROTLI_QUALITY = 6;

function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    closeBundle() {
      for (const name of readdirSync(join(outDir, 'assets'))) {
        if (!/\.(js|css|svg|wasm)$/.test(name)) continue;
        const path = join(outDir, 'assets', name);
        const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
        writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path), { params }));
        writeFileSync(`${path}.gz`, gzipSync(readFileSync(path)));
      }
    },
  };
}

/** A script by itself, for pages that are not ours: in one piece, under a name that stays, leaving nothing behind. */
function badge(): Plugin {
  return {
    name: 'badge',
    apply: 'build',
    async closeBundle() {
      const entry = join(folder, 'src', 'badge', 'badge.ts');
      await build({
        configFile: false,
        logLevel: 'warn',
        build: {
          outDir,
          emptyOutDir: false,
          target: 'es2022',
          lib: { entry, formats: ['iife'], name: 'provenanceBadge', fileName: () => 'badge.js' },
        },
      });
    },
  };
}

export default defineConfig({
  root: folder,
  plugins: [react(), compressed(), badge()],
  worker: { format: 'es' },
  build: { outDir, emptyOutDir: true, assetsInlineLimit: 0, target: 'es2022', modulePreload: { polyfill: false } },
});
