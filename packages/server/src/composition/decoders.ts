// What decodes untrusted bytes, each in processes of its own.

import { createEmbedder } from '../c2pa/embedding/embedder.js';
import { createManifestInspector } from '../c2pa/reading/manifestInspector.js';
import { createManifestReader } from '../c2pa/reading/manifestReader.js';
import type { Chain } from '../chain/chainService.js';
import type { Config } from '../config/config.js';
import type { Database } from '../database/connection.js';
import { SigningCertificateQueries } from '../database/queries/artifacts/signingCertificates.js';
import { EvidenceChecker } from '../evidence/evidenceChecker.js';
import type { CloserStack } from '../jobs/closers.js';
import { createMedia } from '../media/index.js';
import type { ConfiguredSigning } from './signing.js';

interface DecoderParts {
  readonly signing: ConfiguredSigning;
  readonly database: Database;
  readonly chain: Chain;
}

export async function openDecoders(config: Config, { signing, database, chain }: DecoderParts, closers: CloserStack) {
  const { trustAnchorsPem, issuer } = signing;
  const reader = await createManifestReader(trustAnchorsPem, { issuer });
  closers.push(() => reader.close());
  const ownCertificates = new SigningCertificateQueries(database);
  await ownCertificates.record(signing.certificate.sha256);
  const isOwnCertificate = (sha256: Uint8Array) => ownCertificates.has(sha256);
  const manifestInspector = createManifestInspector({ trustAnchorsPem, issuer, isOwnCertificate });
  closers.push(() => manifestInspector.close());
  const embedder = createEmbedder(signing.signing, manifestInspector);
  closers.push(() => embedder.close());
  const media = createMedia();
  closers.push(() => media.close());
  const claimEvidence = new EvidenceChecker({
    trust: config.claimTrust,
    manifests: manifestInspector,
    media,
    publicRegistry: chain.publicRegistry,
  });
  closers.push(() => claimEvidence.close());
  return { reader, embedder, manifestInspector, media, claimEvidence };
}
