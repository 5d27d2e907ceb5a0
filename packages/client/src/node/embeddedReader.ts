// Reads the manifest inside a file in the calling thread.

import type { EmbeddedManifest } from '../verification/embeddedManifest.js';
import { type EmbeddedReadJob, readEmbedded } from '../verification/embeddedReader.js';

export function runEmbeddedRead(job: EmbeddedReadJob, _options: object): Promise<EmbeddedManifest | undefined> {
  return readEmbedded(job);
}
