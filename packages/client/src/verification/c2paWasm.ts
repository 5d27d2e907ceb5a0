// Where a browser finds c2pa-rs; in Node, `node/c2paWasm.ts` is taken instead (see `imports` in package.json).

let place: string | URL | undefined;

/** For pages whose bundler puts files elsewhere. Without it, the page's import map must know `@contentauth/c2pa-wasm/`. */
export function setC2paWasmUrl(url: string | URL): void {
  place = url;
}

export async function c2paWasm(): Promise<URL> {
  return new URL(place ?? new URL('@contentauth/c2pa-wasm/c2pa.wasm', import.meta.url), location.href);
}
