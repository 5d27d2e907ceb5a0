// Starts the WebAssembly of c2pa-rs in Node.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { initSync } from '@contentauth/c2pa-wasm';

let compiling: Promise<WebAssembly.Module> | undefined;

/**
 * Compiles c2pa-rs, which has nine megabytes: once, also for the threads that {@link useCompiledC2pa}. A failure is not cached.
 * @example
 * ```ts
 * worker.postMessage({ compiled: await compileC2pa(), path: 'sunrise.jpg' });
 * ```
 */
export function compileC2pa(): Promise<WebAssembly.Module> {
  compiling ??= readAndCompile().catch((error: unknown) => {
    compiling = undefined;
    throw error;
  });
  return compiling;
}

/**
 * Makes this thread use what another one compiled.
 * @example
 * ```ts
 * parentPort.once('message', ({ compiled }) => useCompiledC2pa(compiled));
 * ```
 */
export function useCompiledC2pa(compiled: WebAssembly.Module): void {
  compiling = Promise.resolve(compiled);
}

/** @param _wasmUrl is for browsers */
export async function loadC2paWasm(_wasmUrl?: string | URL): Promise<WebAssembly.Module> {
  const module = await compileC2pa();
  // Before the asynchronous start, which has nothing to do then: it would load all of fetch to find out what it was given.
  initSync({ module });
  return module;
}

async function readAndCompile(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(
    await readFile(createRequire(import.meta.url).resolve('@contentauth/c2pa-wasm/c2pa.wasm')),
  );
}
