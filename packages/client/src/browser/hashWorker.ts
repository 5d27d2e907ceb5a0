// Runs in a browser worker: hashes the files that it receives, one at a time, and reports progress.

import { createSHA256 } from 'hash-wasm';

/** Large enough to make the overhead of a read negligible; two slices are in memory. */
const SLICE_BYTES = 4 * 1024 * 1024;

export type WorkerMessage =
  | { readonly bytes: number }
  | { readonly fingerprint: `0x${string}` }
  | { readonly error: unknown };

function report(message: WorkerMessage): void {
  postMessage(message);
}

async function hash(blob: Blob): Promise<void> {
  const hasher = await createSHA256();
  // A deleted file has size 0 too: only reading it shows the difference.
  if (blob.size === 0) await blob.arrayBuffer();
  const read = (offset: number) => blob.slice(offset, offset + SLICE_BYTES).arrayBuffer();
  let next = read(0);
  for (let offset = 0; offset < blob.size; ) {
    const slice = new Uint8Array(await next);
    offset += slice.length;
    // Read the next slice while this one is hashed.
    next = read(offset);
    hasher.update(slice);
    report({ bytes: offset });
  }
  report({ fingerprint: `0x${hasher.digest()}` });
}

addEventListener('message', ({ data }: MessageEvent<Blob>) => {
  hash(data).catch((error: unknown) => report({ error }));
});
