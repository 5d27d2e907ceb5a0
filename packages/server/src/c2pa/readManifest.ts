// Reads manifests with c2pa-rs, in a worker that has loaded it.

import { WasmReader } from '@contentauth/c2pa-wasm';

/** c2pa-rs reaches the network by this function alone. It resolves `did:web` whatever its settings say. */
globalThis.fetch = () => Promise.reject(new Error('manifests are read without network access'));

/** @returns the report of c2pa-rs, as JSON. Rejects if there is no readable manifest. */
export async function readManifest(format: string, bytes: Uint8Array, settings: string): Promise<string> {
  const reader = await WasmReader.fromBytes(format, bytes, settings);
  try {
    return reader.json();
  } finally {
    reader.free();
  }
}

/** Rejects unless c2pa-rs works: it must find no manifest in an empty file. */
export async function checkC2paRs(): Promise<void> {
  const outcome = await readManifest('application/c2pa', new Uint8Array(), '{}').catch(String);
  if (!outcome.includes('JumbfNotFound')) throw new Error(`unexpected result of c2pa-rs: ${outcome}`);
}
