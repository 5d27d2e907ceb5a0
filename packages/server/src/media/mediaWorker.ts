// Worker process that computes the perceptual hash or the audio fingerprint of a file.

import { computeImageCodes } from '@provenance-registry/media';
import { decodeImage, fingerprint, restrictLoaders } from '@provenance-registry/media/node';
import type { MediaFacts } from '../domain/ports/index.js';
import { lowerThreadPriority, serveJobs } from '../workers/jobs.js';

type Hashes = Pick<MediaFacts, 'codes' | 'chromaprint'>;

// The audio decoders log every broken frame, which is noise in the service's log.
Object.assign(console, { error: () => undefined, warn: () => undefined });

async function hash({ bytes, kind }: { bytes: Uint8Array; kind: MediaFacts['kind'] }): Promise<Hashes> {
  if (kind === 'image') {
    const codes = computeImageCodes(await decodeImage(bytes));
    return codes ? { codes } : {};
  }
  const result = await fingerprint(bytes);
  return result ? { chromaprint: result.text } : {};
}

const jobs = { hash };
export type MediaJobs = typeof jobs;
await restrictLoaders();
lowerThreadPriority();
serveJobs(jobs);
