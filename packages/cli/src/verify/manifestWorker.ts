// Reads manifests inside files, in a thread that can be ended: a crafted file can keep c2pa-rs busy for hours.

import { readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { readEmbedded, useCompiledC2pa } from '@provenance-registry/client/node';
import type { ManifestJob, ManifestJobResult } from './manifestReader.js';

parentPort?.on('message', (job: ManifestJob) => {
  void read(job).then((result) => parentPort?.postMessage(result));
});

async function read({ descriptor, size, compiled, ...trust }: ManifestJob): Promise<ManifestJobResult> {
  try {
    useCompiledC2pa(compiled);
    return { manifest: await readEmbedded({ content: readFile(descriptor, size), ...trust }) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** The bytes of the file that the main thread has opened and hashed, whatever its path leads to by now. */
function readFile(descriptor: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let length = 0;
  for (let read = 1; read > 0 && length < size; length += read) {
    read = readSync(descriptor, bytes, length, size - length, length);
  }
  return bytes.subarray(0, length);
}
