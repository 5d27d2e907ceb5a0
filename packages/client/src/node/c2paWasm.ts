// Loads the WebAssembly of c2pa-rs in Node.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

export function loadC2paWasm(): Promise<Uint8Array> {
  return readFile(createRequire(import.meta.url).resolve('@contentauth/c2pa-wasm/c2pa.wasm'));
}
