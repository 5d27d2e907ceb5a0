// Worker process for files of strangers: embeds signed manifests into images and reads manifests, with c2pa-rs. The service
// holds the keys: it is asked to sign each claim.

import { initSync, WasmBuilder } from '@contentauth/c2pa-wasm';
import { type AskQuestion, lowerThreadPriority, serveJobs } from '../workers/jobs.js';
import { inspectManifest } from './inspectManifest.js';
import { countSegments } from './jpeg.js';
import { checkC2paRs, readManifest } from './readManifest.js';
import { readC2paRs } from './wasm.js';

interface EmbedJob {
  readonly format: string;
  readonly bytes: Uint8Array;
  /** A manifest definition of c2pa-rs, as JSON. */
  readonly definition: string;
  readonly settings: string;
  /** COSE's name for the algorithm, in lower case. */
  readonly algorithm: string;
  readonly signatureSize: number;
}

interface ReadJob {
  readonly format: string;
  readonly bytes: Uint8Array;
  readonly settings: string;
}

/**
 * The time of c2pa-rs grows with the square of this number, to minutes for a crafted image of one megabyte. The largest
 * accepted image has about a thousand, even if all of it is a manifest.
 */
const MAX_JPEG_SEGMENTS = 2_048;

lowerThreadPriority();
initSync({ module: readC2paRs() });

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

/** Asks once: for the signature of the claim. */
async function embed(job: EmbedJob, ask: AskQuestion): Promise<Uint8Array> {
  if (job.format === 'image/jpeg' && countSegments(job.bytes) > MAX_JPEG_SEGMENTS) {
    throw new Error('the image has too many segments');
  }
  const builder = WasmBuilder.fromJson(job.definition, job.settings);
  try {
    // The image exists already, maybe with a manifest: it becomes the parent.
    builder.setIntent('edit');
    const definition = { alg: job.algorithm, reserveSize: job.signatureSize, sign: ask };
    return await builder.sign(definition, [], job.format, new BytesBlob(job.bytes, job.format));
  } finally {
    builder.free();
  }
}

const read = ({ format, bytes, settings }: ReadJob) => readManifest(format, bytes, settings);

const jobs = { embed, read, inspect: inspectManifest, check: checkC2paRs };
export type C2paJobs = typeof jobs;
serveJobs(jobs);
