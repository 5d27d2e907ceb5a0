// Port for certificates: signed documents about registrations, for people who keep paper.

import type { Artifact } from '@provenance-registry/core';
import type { ChainRegistration } from './chain.js';
import type { ManifestSignature } from './files.js';

export interface Certificates {
  /** A signed PDF. Rejects with UNAVAILABLE when it cannot be made in time. */
  issue(facts: CertificateFacts): Promise<Uint8Array>;
}

/** What was found about a registration when its certificate was made. */
export interface CertificateFacts {
  /** The Artifact as the public may see it. */
  readonly artifact: Artifact;
  /** Undefined: it could not be read. */
  readonly manifest: ManifestSignature | undefined;
  /** Undefined: the service has no confirmed transaction, or the chain could not be read. */
  readonly registration: ChainRegistration | undefined;
  readonly issuedAt: Date;
}
