// Worker process that computes the perceptual hash or the audio fingerprint of a file.

import { computeImageHashes, computePerceptualHash, computeQueryHashes } from '@provenance-registry/media';
import { decodeImage, fingerprint, restrictLoaders } from '@provenance-registry/media/node';
import type { MediaFacts } from '../domain/ports/index.js';
import { lowerThreadPriority, serveJobs } from '../workers/jobs.js';

type Hashes = Pick<MediaFacts, 'codes' | 'pHash' | 'queries' | 'chromaprint'>;

interface HashJob {
  readonly bytes: Uint8Array;
  readonly kind: MediaFacts['kind'];
  readonly isQuery: boolean;
}

// The audio decoders log every broken frame, which is noise in the service's log.
Object.assign(console, { error: () => undefined, warn: () => undefined });

async function hash({ bytes, kind, isQuery }: HashJob): Promise<Hashes> {
  if (kind === 'image') {
    const image = await decodeImage(bytes);
    const codes = computeImageHashes(image);
    if (!codes) {
      const pHash = computePerceptualHash(image);
      return pHash === undefined ? {} : { pHash };
    }
    const queries = isQuery ? computeQueryHashes(image) : undefined;
    return { codes, ...(queries && { queries }) };
  }
  const result = await fingerprint(bytes);
  return result ? { chromaprint: result.text } : {};
}

const jobs = { hash };
export type MediaJobs = typeof jobs;
await restrictLoaders();
lowerThreadPriority();
serveJobs(jobs);
