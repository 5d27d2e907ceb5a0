// The WebAssembly module that scans perceptual hashes. Its text is in `scripts/hammingScan.mjs`, from which the build generates
// its bytes.

import { hammingScanModule } from './hammingScan.generated.js';

export const HASH_BYTES = 8;
/** Hashes in one round of the loop. Scans have a multiple of it. */
export const HASHES_PER_ROUND = 8;
/** Size of a note: the address of the hash, then its distance and the query in one number. */
export const NOTE_BYTES = 8;
/** Numbers of queries, each with a function of its own. More than four do not fit into the registers. */
export const queryCounts = [4, 2, 1] as const;

/** Notes the hashes from `at` to `end` that are not zero and close to a query; returns the end of the notes. */
export type Scan = (at: number, end: number, out: number, max: number, ...queries: bigint[]) => number;

export interface ScanMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** The part of WebAssembly that is used here: the types of Node have none. */
declare const WebAssembly: {
  readonly Memory: new (limits: { readonly initial: number; readonly maximum: number }) => ScanMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly env: { readonly memory: ScanMemory } },
  ) => { readonly exports: Readonly<Record<string, Scan>> };
};

export const MEMORY_PAGE_BYTES = 65_536;
/** 4 GB: as much as addresses of 32 bits reach. */
const MAX_MEMORY_PAGES = 65_536;

/** @returns a memory of these pages, and a scan of it for each number of queries */
export function instantiateScans(pages: number): { memory: ScanMemory; scans: ReadonlyMap<number, Scan> } {
  const memory = new WebAssembly.Memory({ initial: pages, maximum: MAX_MEMORY_PAGES });
  const module = new WebAssembly.Module(Buffer.from(hammingScanModule, 'base64'));
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const scans = new Map<number, Scan>();
  for (const count of queryCounts) {
    const scan = exports[`scan${count}`];
    if (scan) scans.set(count, scan);
  }
  return { memory, scans };
}
