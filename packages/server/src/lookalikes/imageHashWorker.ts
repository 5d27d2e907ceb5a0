// Worker thread that holds every n-th chunk of the hashes of images and scans them.

import type { ImageHashPage } from '../domain/ports/index.js';
import { serveJobs } from '../workers/jobs.js';
import { type EncodedSearch, HashStore } from './hashStore.js';

const store = new HashStore();
let writes = 0;

/** `writes` is the number of earlier changes. A worker that replaces a crashed one lacks them, and must not pass for complete. */
interface Job {
  readonly writes: number;
}

function checkWrites(job: Job): void {
  if (job.writes !== writes) throw new Error('the hashes of this thread were lost');
}

const jobs = {
  write(job: Job & { readonly page: ImageHashPage }) {
    checkWrites(job);
    store.write(job.page);
    writes += 1;
  },
  replace(job: Job & { readonly chunk: number; readonly stopSlot: number; readonly page: ImageHashPage }) {
    checkWrites(job);
    store.replace(job.chunk, job.stopSlot, job.page);
    writes += 1;
  },
  scan(job: Job & { readonly searches: readonly EncodedSearch[] }) {
    checkWrites(job);
    return store.scan(job.searches);
  },
  checksum(job: Job & { readonly chunk: number; readonly stopSlot: number }) {
    checkWrites(job);
    return store.checksum(job.chunk, job.stopSlot);
  },
};
export type ImageHashJobs = typeof jobs;
serveJobs(jobs);
