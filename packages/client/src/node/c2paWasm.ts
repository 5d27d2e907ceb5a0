// Where Node finds c2pa-rs.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

export function c2paWasm(): Promise<Uint8Array> {
  return readFile(createRequire(import.meta.url).resolve('@contentauth/c2pa-wasm/c2pa.wasm'));
}
