// Reads manifests with c2pa-rs, in a worker that has loaded it, without network access: c2pa-rs reaches the network by `fetch`
// alone, which is replaced here. It resolves every `did:web`, but only the documents of this service are known.

import { WasmReader } from '@contentauth/c2pa-wasm';
import type { ReaderSettings } from './readerSettings.js';

/** DID documents by URL, as JSON. */
const knownDocuments = new Map<string, string>();

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

// What c2pa-rs uses of the classes for requests. Node's own take longer than the check of a credential.

class LocalRequest {
  constructor(readonly url: string) {}
}

class LocalHeaders {
  append(): void {
    // A document is the same for every request.
  }
}

class LocalAbortController {
  readonly signal = {};
  abort(): void {
    // There is nothing to abort.
  }
}

async function fetchKnownDocument({ url }: LocalRequest): Promise<Response> {
  const document = knownDocuments.get(url);
  if (document === undefined) throw new Error('manifests are read without network access');
  return Object.create(Response.prototype, {
    url: { value: url },
    status: { value: 200 },
    headers: { value: [] },
    arrayBuffer: { value: async () => Uint8Array.from(Buffer.from(document)).buffer },
  });
}

Object.assign(globalThis, {
  fetch: fetchKnownDocument,
  Request: LocalRequest,
  Headers: LocalHeaders,
  AbortController: LocalAbortController,
});
