// Worker process that computes the perceptual hash or the audio fingerprint of a file.

import type { MediaFacts } from '../domain/ports/index.js';
import { lowerThreadPriority, serveJobs } from '../workers/jobs.js';
import { fingerprint } from './chromaprint.js';
import { perceptualHash } from './perceptualHash.js';

type Hashes = Pick<MediaFacts, 'pHash' | 'chromaprint'>;

// The audio decoders log every broken frame, which is noise in the service's log.
Object.assign(console, { error: () => undefined, warn: () => undefined });

async function hash({ bytes, kind }: { bytes: Uint8Array; kind: MediaFacts['kind'] }): Promise<Hashes> {
  if (kind === 'image') {
    const pHash = await perceptualHash(bytes);
    return pHash === undefined ? {} : { pHash };
  }
  const result = await fingerprint(bytes);
  return result ? { chromaprint: result.text } : {};
}

const jobs = { hash };
export type MediaJobs = typeof jobs;
lowerThreadPriority();
serveJobs(jobs);
