// The reference implementation, c2pa-rs, as WebAssembly: compiled once, and used by every worker thread.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** What Node's types leave out; the rest of it is not needed. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<CompiledC2paRs> };

/** Can be sent to a worker thread, and started there. */
export type CompiledC2paRs = object;

let compiled: Promise<CompiledC2paRs> | undefined;

export function compileC2paRs(): Promise<CompiledC2paRs> {
  compiled ??= readFile(createRequire(import.meta.url).resolve('@contentauth/c2pa-wasm/c2pa.wasm')).then((bytes) =>
    WebAssembly.compile(bytes),
  );
  return compiled;
}
