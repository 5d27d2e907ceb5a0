// Locates the WebAssembly of c2pa-rs in browsers; Node uses `node/c2paWasm.ts` (see `imports` in package.json).

/** Without a URL, the page's import map or its bundler must resolve `@contentauth/c2pa-wasm/`. */
export async function loadC2paWasm(wasmUrl?: string | URL): Promise<URL> {
  return new URL(wasmUrl ?? new URL('@contentauth/c2pa-wasm/c2pa.wasm', import.meta.url), location.href);
}
