// Runs in a worker thread: what would otherwise stop everything else for milliseconds. Reading a manifest back with
// c2pa-rs, and drawing a card.

import { initSync, WasmReader } from '@contentauth/c2pa-wasm';
import { workerData } from 'piscina';
import { drawCard } from './card.js';
import { sidecarReport } from './report.js';

export interface ReadJob {
  readonly format: string;
  readonly bytes: Uint8Array;
  /** Settings of c2pa-rs, as JSON. */
  readonly settings: string;
}

const { wasm }: { wasm: Uint8Array } = workerData;
initSync({ module: wasm });

/** The report of c2pa-rs, as JSON. */
export async function read({ format, bytes, settings }: ReadJob): Promise<string> {
  const reader = await WasmReader.fromBytes(format, bytes, settings);
  try {
    return reader.json();
  } finally {
    reader.free();
  }
}

export interface CreationJob {
  readonly sidecar: Uint8Array;
  readonly digest: Uint8Array | undefined;
  readonly fingerprint: Uint8Array;
  readonly settings: string;
}

export interface CreationResult {
  readonly report: Uint8Array;
  readonly picture: Uint8Array;
}

/** What is published about a sidecar, and the card's picture: in one go, since waking a thread costs as well. */
export async function create({ sidecar, digest, fingerprint, settings }: CreationJob): Promise<CreationResult> {
  const found: unknown = JSON.parse(await read({ format: 'application/c2pa', bytes: sidecar, settings }));
  return {
    report: Buffer.from(JSON.stringify(sidecarReport(found, sidecar, digest))),
    picture: drawCard(`0x${Buffer.from(fingerprint).toString('hex')}`),
  };
}
