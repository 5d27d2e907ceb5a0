// The store of published files from the settings.

import { join } from 'node:path';
import type { Config } from '../config/config.js';
import type { FileStore, ServedFiles } from '../domain/ports/index.js';
import { openDiskStore } from '../files/disk.js';
import { openS3Store } from '../files/s3.js';

/** Published files, and as those that the service serves itself: an S3-compatible store does that alone. */
export async function openFiles(config: Config): Promise<{ store: FileStore; served: ServedFiles | undefined }> {
  if (config.storage) return { store: openS3Store(config.storage, config.storage.environment), served: undefined };
  const store = await openDiskStore(join(config.dataDir, 'public'));
  return { store, served: store };
}
