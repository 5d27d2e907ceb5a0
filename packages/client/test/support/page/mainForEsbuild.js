// A page that uses the SDK through esbuild, which does not resolve `new URL('…', import.meta.url)`: the page says where
// c2pa-rs is.

import wasmPath from '@contentauth/c2pa-wasm/c2pa.wasm';
import { setC2paWasmUrl } from '@provenance-registry/client/browser';
import { sdk } from './sdk.js';

setC2paWasmUrl(new URL(wasmPath, import.meta.url));
Object.assign(window, { sdk });
