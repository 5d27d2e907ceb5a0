// The reference implementation, c2pa-rs, as the WebAssembly that worker threads load.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

export function readC2paRs(): Promise<Uint8Array> {
  return readFile(createRequire(import.meta.url).resolve('@contentauth/c2pa-wasm/c2pa.wasm'));
}
