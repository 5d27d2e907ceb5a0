// Runs in a worker thread: reads a manifest back with c2pa-rs, which would otherwise stop everything else meanwhile.

import { initSync, WasmReader } from '@contentauth/c2pa-wasm';
import { workerData } from 'piscina';

export interface ReadJob {
  readonly format: string;
  readonly bytes: Uint8Array;
  /** Settings of c2pa-rs, as JSON. */
  readonly settings: string;
}

const { wasm }: { wasm: Uint8Array } = workerData;
initSync({ module: wasm });

/** The report of c2pa-rs, as JSON. */
export default async function read({ format, bytes, settings }: ReadJob): Promise<string> {
  const reader = await WasmReader.fromBytes(format, bytes, settings);
  try {
    return reader.json();
  } finally {
    reader.free();
  }
}
