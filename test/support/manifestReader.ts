// Readers of C2PA manifests (the reference implementation), and embedders that read back with them, closed when the test file
// ends.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { createEmbedder } from '../../packages/server/src/c2pa/embedding/embedder.js';
import type { Signing } from '../../packages/server/src/c2pa/manifest/manifestStore.js';
import { createManifestInspector } from '../../packages/server/src/c2pa/reading/manifestInspector.js';
import { createManifestReader, type ManifestReader } from '../../packages/server/src/c2pa/reading/manifestReader.js';
import type { TrustedIssuer } from '../../packages/server/src/c2pa/reading/readerSettings.js';

const open: { close(): Promise<void> }[] = [];
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

interface EmbedderOptions {
  readonly signing: Signing;
  readonly trustAnchorsPem: string;
  readonly issuer?: TrustedIssuer;
}

/** Embeds as a service with these keys does. */
export function createTestEmbedder({ signing, trustAnchorsPem, issuer }: EmbedderOptions) {
  const inspector = createManifestInspector({ trustAnchorsPem, issuer, isOwnCertificate: async () => true });
  const embedder = createEmbedder(signing, inspector);
  open.push(embedder, inspector);
  return embedder;
}
