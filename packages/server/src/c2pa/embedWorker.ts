// Runs in a worker thread: puts a signed manifest into an image with c2pa-rs. The signature is made in the main thread,
// which holds the keys; it is asked for through a port.

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
  /** Takes a claim, gives its signature. */
  readonly signing: MessagePort;
}

const { wasm }: { wasm: CompiledC2paRs } = workerData;
initSync({ module: wasm });

/** A Blob whose bytes can be had at once, which c2pa-rs asks browsers for by FileReaderSync. */
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
    if (!(blob instanceof BytesBlob)) throw new TypeError('a blob from elsewhere');
    return Uint8Array.from(blob.content).buffer;
  }
}
Object.assign(globalThis, { FileReaderSync: BytesReader });

async function embed(job: EmbedJob): Promise<Uint8Array> {
  const builder = WasmBuilder.fromJson(job.definition, job.settings);
  try {
    // The image is somebody's work that exists already, perhaps with a history of its own: it becomes the parent.
    builder.setIntent('edit');
    const definition = {
      alg: job.algorithm,
      reserveSize: job.signatureSize,
      sign: (claim: Uint8Array) => ask(job.signing, claim),
    };
    return await builder.sign(definition, [], job.format, new BytesBlob(job.bytes, job.format));
  } finally {
    builder.free();
    job.signing.close();
  }
}

function ask(port: MessagePort, claim: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    port.once('message', (answer: { signature: Uint8Array<ArrayBuffer> } | { fault: string }) => {
      if ('signature' in answer) resolve(answer.signature);
      else reject(new Error(answer.fault));
    });
    port.postMessage(claim);
  });
}

const jobs = { embed };
export type EmbedJobs = typeof jobs;
serveJobs(jobs);
