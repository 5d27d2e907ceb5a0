// c2pa-rs, the reference implementation, as WebAssembly.

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** Missing in Node's types. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<CompiledC2paRs> };

/** Can be sent to a worker thread and instantiated there. */
export type CompiledC2paRs = object;

const findFile = () => createRequire(import.meta.url).resolve('@contentauth/c2pa-wasm/c2pa.wasm');

let compiled: Promise<CompiledC2paRs> | undefined;

/** Compiled once and shared by all worker threads. */
export function compileC2paRs(): Promise<CompiledC2paRs> {
  compiled ??= readFile(findFile()).then((bytes) => WebAssembly.compile(bytes));
  return compiled;
}

/** Reads c2pa-rs in a worker process, which cannot receive compiled code: it compiles its own, in a tenth of a second. */
export function readC2paRs(): Uint8Array {
  return readFileSync(findFile());
}
