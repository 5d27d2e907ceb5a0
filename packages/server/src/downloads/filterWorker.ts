// Worker thread that builds filters: seconds of work for millions of fingerprints.

import { buildFilter } from '@provenance-registry/core';
import { lowerThreadPriority, serveJobs, TransferredResult } from '../workers/jobs.js';

const jobs = {
  build(words: Uint32Array) {
    const bytes = buildFilter(words);
    return new TransferredResult(bytes, [bytes.buffer]);
  },
};
export type FilterJobs = typeof jobs;

lowerThreadPriority();
serveJobs(jobs);
