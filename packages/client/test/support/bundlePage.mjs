// Bundles the page into the folder that it is given, as its makers would.

import { build } from 'vite';

const [root, outDir] = process.argv.slice(2);
await build({ root, logLevel: 'error', build: { outDir, emptyOutDir: true }, worker: { format: 'es' } });
