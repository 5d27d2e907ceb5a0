// Locates the WebAssembly of c2pa-rs in browsers; Node uses `node/c2paWasm.ts` (see `imports` in package.json).

let wasmUrl: string | URL | undefined;

/**
 * Sets the URL of `c2pa.wasm`, for bundlers that do not resolve `new URL('…', import.meta.url)`. Without it, the page's
 * import map must resolve `@contentauth/c2pa-wasm/`.
 * @example
 * ```ts
 * setC2paWasmUrl('/assets/c2pa.wasm');
 * ```
 */
export function setC2paWasmUrl(url: string | URL): void {
  wasmUrl = url;
}

export async function loadC2paWasm(): Promise<URL> {
  return new URL(wasmUrl ?? new URL('@contentauth/c2pa-wasm/c2pa.wasm', import.meta.url), location.href);
}
