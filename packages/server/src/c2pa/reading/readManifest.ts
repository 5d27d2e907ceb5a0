// Reads manifests with c2pa-rs, in a worker that has loaded it.

import { WasmReader } from '@contentauth/c2pa-wasm';
import { knownDocuments } from './localFetch.js';
import type { ReaderSettings } from './readerSettings.js';

/** Rejects if there is no readable manifest. */
export function openReader(format: string, bytes: Uint8Array, settings: ReaderSettings): Promise<WasmReader> {
  const { json, didDocument } = settings;
  if (didDocument) knownDocuments.set(didDocument.url, didDocument.json);
  return WasmReader.fromBytes(format, bytes, json);
}

/** @returns the report of c2pa-rs, as JSON. Rejects if there is no readable manifest. */
export async function readManifest(format: string, bytes: Uint8Array, settings: ReaderSettings): Promise<string> {
  const reader = await openReader(format, bytes, settings);
  try {
    return reader.json();
  } finally {
    reader.free();
  }
}

/** Rejects unless c2pa-rs works: it must find no manifest in an empty file. */
export async function checkC2paRs(): Promise<void> {
  const outcome = await readManifest('application/c2pa', new Uint8Array(), { json: '{}' }).catch(String);
  if (!outcome.includes('JumbfNotFound')) throw new Error(`unexpected result of c2pa-rs: ${outcome}`);
}
