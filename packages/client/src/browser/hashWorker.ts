// Runs in a browser's worker: hashes the one file that it is sent, and tells how far it is.

import { createSHA256 } from 'hash-wasm';

/** Large enough that asking for it costs nothing; two of them are in memory. */
const SLICE_BYTES = 4 * 1024 * 1024;

export type WorkerMessage =
  | { readonly bytes: number }
  | { readonly fingerprint: `0x${string}` }
  | { readonly error: unknown };

function tell(message: WorkerMessage): void {
  postMessage(message);
}

async function hash(blob: Blob): Promise<void> {
  const hasher = await createSHA256();
  // A file that is gone has no size either: only when all of it is read does the browser say so.
  if (blob.size === 0) await blob.arrayBuffer();
  const read = (at: number) => blob.slice(at, at + SLICE_BYTES).arrayBuffer();
  let next = read(0);
  for (let at = 0; at < blob.size; ) {
    const slice = new Uint8Array(await next);
    at += slice.length;
    // While one slice is hashed, the next one is read.
    next = read(at);
    hasher.update(slice);
    tell({ bytes: at });
  }
  tell({ fingerprint: `0x${hasher.digest()}` });
}

addEventListener('message', ({ data }: MessageEvent<Blob>) => {
  hash(data).catch((error: unknown) => tell({ error }));
});
