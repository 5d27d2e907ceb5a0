// A process that decodes untrusted files and computes their perceptual hashes. It does nothing else, so that it can be ended.

import { DecoderMissingError, decodeImage, fingerprint, restrictLoaders } from '@provenance-registry/media/node';
import { hashImage } from '../lookups/imageHashes.js';
import type { PerceptualHashes } from '../lookups/perceptualHashes.js';
import type { HashJob, HashJobResult } from './perceptualHashPool.js';

async function compute({ bytes, kind, forSearch }: HashJob): Promise<PerceptualHashes> {
  if (kind === 'audio') {
    const sound = await fingerprint(bytes);
    return sound ? { chromaprint: sound.text } : { missing: 'featureless' };
  }
  return hashImage(await decodeImage(bytes), forSearch);
}

async function run(job: HashJob): Promise<HashJobResult> {
  try {
    return { id: job.id, result: await compute(job) };
  } catch (error) {
    return { id: job.id, result: { missing: error instanceof DecoderMissingError ? 'no-decoder' : 'unreadable' } };
  }
}

// Without sharp, sound and two formats of images have hashes all the same.
await restrictLoaders().catch(() => {});
process.on('message', (job: HashJob) => void run(job).then((result) => process.send?.(result)));
// The program is gone. Exiting would wait for native code that is still running.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.send?.({ ready: true });
