// Reads manifests inside files, in a thread that can be ended: a crafted file can keep c2pa-rs busy for hours.

import { openAsBlob } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { readEmbedded, useCompiledC2pa } from '@provenance-registry/client/node';
import type { ManifestJob, ManifestJobResult } from './manifestReader.js';

parentPort?.on('message', (job: ManifestJob) => {
  void read(job).then((result) => parentPort?.postMessage(result));
});

async function read({ path, compiled, ...trust }: ManifestJob): Promise<ManifestJobResult> {
  try {
    useCompiledC2pa(compiled);
    // Threads receive buffers as plain bytes.
    const content = await openAsBlob(typeof path === 'string' ? path : Buffer.from(path));
    return { manifest: await readEmbedded({ content, ...trust }) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
