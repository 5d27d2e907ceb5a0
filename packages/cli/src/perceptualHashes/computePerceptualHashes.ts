// Perceptual hashes of files, computed in processes that run a file of the bundled command.

import type { PerceptualHashes } from '@provenance-registry/client';
import { computePerceptualHashes as compute, type PerceptualHashOptions } from '@provenance-registry/client/node';

const WORKER_FILE = new URL('./perceptualHashWorker.js', import.meta.url);

export function computePerceptualHashes(
  file: Parameters<typeof compute>[0],
  options: PerceptualHashOptions,
): Promise<PerceptualHashes> {
  return compute(file, { ...options, workerFile: WORKER_FILE });
}
