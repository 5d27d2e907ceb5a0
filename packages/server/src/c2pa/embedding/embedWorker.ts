// Worker thread that inserts manifests into images. The service holds the keys: it is asked for the signed manifest.

import { lowerThreadPriority, type QueryHost, serveJobs, TransferredResult } from '../../workers/jobs.js';
import { ContainerError } from '../containers/index.js';
import { embedStore, type UnsignedFile } from './embedStore.js';

type EmbedResult = { readonly image: Uint8Array } | { readonly refusal: string };

/** Asks once: for the manifest store with this hard binding. */
async function embed(file: UnsignedFile, queryHost: QueryHost) {
  try {
    const image = new Uint8Array(await embedStore(file, queryHost));
    return new TransferredResult<EmbedResult>({ image }, [image.buffer]);
  } catch (error) {
    if (!(error instanceof ContainerError)) throw error;
    return new TransferredResult<EmbedResult>({ refusal: error.message }, []);
  }
}

const jobs = { embed, check: () => undefined };
export type EmbedJobs = typeof jobs;
lowerThreadPriority();
serveJobs(jobs);
