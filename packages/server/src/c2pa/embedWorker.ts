// Worker thread that embeds a signed manifest into an image with c2pa-rs. The main thread holds the keys and signs: claims
// and signatures go through a message port.

import { type MessagePort, workerData } from 'node:worker_threads';
import { initSync, WasmBuilder } from '@contentauth/c2pa-wasm';
import { serveJobs } from '../workers/jobs.js';
import type { CompiledC2paRs } from './wasm.js';

interface EmbedJob {
  readonly format: string;
  readonly bytes: Uint8Array;
  /** A manifest definition of c2pa-rs, as JSON. */
  readonly definition: string;
  readonly settings: string;
  /** COSE's name for the algorithm, in lower case. */
  readonly algorithm: string;
  readonly signatureSize: number;
  /** Receives claims and returns their signatures. */
  readonly signing: MessagePort;
}

const { wasm }: { wasm: CompiledC2paRs } = workerData;
initSync({ module: wasm });

/** A Blob with synchronous access to its bytes, as c2pa-rs reads blobs by FileReaderSync. */
class BytesBlob extends Blob {
  override readonly size: number;
  readonly content: Uint8Array;

  constructor(content: Uint8Array, type = '') {
    super([], { type });
    this.size = content.length;
    this.content = content;
  }

  override slice(start = 0, end = this.content.length): Blob {
    return new BytesBlob(this.content.subarray(start, end));
  }
}

class BytesReader {
  readAsArrayBuffer(blob: Blob): ArrayBuffer {
    if (!(blob instanceof BytesBlob)) throw new TypeError('not a BytesBlob');
    return Uint8Array.from(blob.content).buffer;
  }
}
Object.assign(globalThis, { FileReaderSync: BytesReader });

async function embed(job: EmbedJob): Promise<Uint8Array> {
  const builder = WasmBuilder.fromJson(job.definition, job.settings);
  try {
    // The image exists already, maybe with a manifest: it becomes the parent.
    builder.setIntent('edit');
    const definition = {
      alg: job.algorithm,
      reserveSize: job.signatureSize,
      sign: (claim: Uint8Array) => requestSignature(job.signing, claim),
    };
    return await builder.sign(definition, [], job.format, new BytesBlob(job.bytes, job.format));
  } finally {
    builder.free();
    job.signing.close();
  }
}

function requestSignature(port: MessagePort, claim: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    port.once('message', (response: { signature: Uint8Array<ArrayBuffer> } | { error: string }) => {
      if ('signature' in response) resolve(response.signature);
      else reject(new Error(response.error));
    });
    port.postMessage(claim);
  });
}

const jobs = { embed };
export type EmbedJobs = typeof jobs;
serveJobs(jobs);
