// Readers of C2PA manifests (the reference implementation), closed when the test file ends.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { createManifestReader, type ManifestReader } from '../../packages/server/src/c2pa/reading/manifestReader.js';
import type { TrustedIssuer } from '../../packages/server/src/c2pa/reading/readerSettings.js';

const open: ManifestReader[] = [];
afterAll(async () => {
  await Promise.all(open.map((reader) => reader.close()));
});

export async function createReader(trustAnchorsPem: string, issuer?: TrustedIssuer): Promise<ManifestReader> {
  const reader = await createManifestReader(trustAnchorsPem, { issuer });
  open.push(reader);
  return reader;
}

/** Trusts what a service with this data folder trusts. */
export async function createTrustingReader(dataDir: string): Promise<ManifestReader> {
  return createReader(await readFile(join(dataDir, 'keys', 'authority.pem'), 'utf8'));
}
