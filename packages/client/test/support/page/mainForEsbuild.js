// A page that uses the SDK through esbuild, which does not resolve `new URL('…', import.meta.url)`: the page says where
// the WebAssembly of c2pa-rs and Chromaprint is.

import wasmPath from '@contentauth/c2pa-wasm/c2pa.wasm';
import chromaprintPath from '@unimusic/chromaprint/dist/chromaprint.wasm';
import { createSdk } from './sdk.js';

const sdk = createSdk({
  c2paWasmUrl: new URL(wasmPath, import.meta.url),
  chromaprintWasmUrl: new URL(chromaprintPath, import.meta.url),
});
Object.assign(window, { sdk });
