// c2pa-rs, the reference implementation, as WebAssembly: compiled once and shared by all worker threads.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** Missing in Node's types. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<CompiledC2paRs> };

/** Can be sent to a worker thread and instantiated there. */
export type CompiledC2paRs = object;

let compiled: Promise<CompiledC2paRs> | undefined;

export function compileC2paRs(): Promise<CompiledC2paRs> {
  compiled ??= readFile(createRequire(import.meta.url).resolve('@contentauth/c2pa-wasm/c2pa.wasm')).then((bytes) =>
    WebAssembly.compile(bytes),
  );
  return compiled;
}
