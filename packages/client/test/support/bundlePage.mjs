// Bundles the test page into the given folder.

import { build } from 'vite';

const [root, outDir] = process.argv.slice(2);
await build({ root, logLevel: 'error', build: { outDir, emptyOutDir: true }, worker: { format: 'es' } });
