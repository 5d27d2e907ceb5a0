// Runs in a thread of its own: hashes one file at a time. Whatever fails here, the file has no hash.

import type { MediaFacts } from '../domain/ports/index.js';
import { serveJobs } from '../workers/jobs.js';
import { fingerprint } from './chromaprint.js';
import { perceptualHash } from './perceptualHash.js';

interface Job {
  readonly bytes: Uint8Array;
  readonly kind: MediaFacts['kind'];
}

export type Hashes = Pick<MediaFacts, 'pHash' | 'chromaprint'>;

// The audio decoders report every broken frame here; to the service's log a stranger's broken file is no news.
Object.assign(console, { error: () => undefined, warn: () => undefined });

async function hash({ bytes, kind }: Job): Promise<Hashes> {
  if (kind === 'image') {
    const pHash = await perceptualHash(bytes);
    return pHash === undefined ? {} : { pHash };
  }
  const heard = await fingerprint(bytes);
  return heard ? { chromaprint: heard.text } : {};
}

const jobs = { hash };
export type MediaJobs = typeof jobs;
serveJobs(jobs);
