// Programs that tests start as processes of their own, to kill them.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll } from 'vitest';

const bundled = new Map<string, string>();
afterAll(() => {
  for (const folder of bundled.values()) rmSync(folder, { recursive: true });
  bundled.clear();
});

/**
 * Returns the path of the program. Loading hundreds of files takes four times as long as the rest of a start, and tests
 * start many.
 */
export function bundleProcess(name: string): string {
  const folder = bundled.get(name) ?? bundle(name);
  bundled.set(name, folder);
  return join(folder, name);
}

function bundle(name: string): string {
  const outdir = mkdtempSync(join(tmpdir(), 'bundled-process-'));
  buildSync({
    entryPoints: [fileURLToPath(new URL(name, import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outdir,
    outExtension: { '.js': '.mjs' },
    external: ['pg-native'],
    // `pg` is CommonJS.
    banner: { js: "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  return outdir;
}
