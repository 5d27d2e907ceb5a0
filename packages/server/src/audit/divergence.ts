// A divergence: something on which database, published files and chain disagree.

import type {
  AuditedArtifact,
  AuditedChain,
  AuditedMirror,
  AuditedSoundHashes,
  AuditRecords,
  FileInspector,
  FileStore,
} from '../domain/ports/index.js';

/** What the audit reads and repairs. */
export interface AuditParts {
  readonly records: AuditRecords;
  readonly files: FileStore;
  readonly inspector: FileInspector;
  readonly chain: AuditedChain;
  readonly mirror: AuditedMirror;
  readonly soundHashes: AuditedSoundHashes;
  readonly clock: () => Date;
}

/** docs/operating.md explains each, and what its repair does. */
export type DivergenceCode =
  | 'file-missing'
  | 'signature-broken'
  | 'manifest-of-another'
  | 'report-differs'
  | 'card-broken'
  | 'file-stray'
  | 'artifact-unknown'
  | 'draft-left'
  | 'manifest-hash-broken'
  | 'outbox-missing'
  | 'outbox-left'
  | 'entry-missing'
  | 'entry-of-another'
  | 'entry-hash-differs'
  | 'failed-on-chain'
  | 'transaction-missing'
  | 'counter-differs'
  | 'answer-without-artifact'
  | 'mirror-missing'
  | 'mirror-unknown'
  | 'mirror-differs'
  | 'image-codes-missing'
  | 'image-codes-unknown'
  | 'image-codes-differ'
  | 'sound-codes-differ';

export interface Divergence {
  readonly code: DivergenceCode;
  /** Identifies it: the same divergence has the same values at every check. */
  readonly about: {
    readonly artifactId?: string;
    readonly file?: string;
    readonly ownerId?: string;
    readonly counter?: string;
    readonly callerId?: string;
    readonly key?: string;
    readonly fingerprint?: string;
  };
  readonly message: string;
  /** Undefined when it cannot be repaired. Returns false when the data has changed since, or a constraint forbids it. */
  readonly repair?: () => Promise<boolean>;
}

export function artifactDivergence(
  code: DivergenceCode,
  { id, manifestId }: Pick<AuditedArtifact, 'id' | 'manifestId'>,
  reason: string,
  repair?: () => Promise<boolean>,
): Divergence {
  const name = id === manifestId ? `Artifact ${id}` : `Signed copy ${id} of Artifact ${manifestId}`;
  return { code, about: { artifactId: id }, message: `${name}: ${reason}`, ...(repair && { repair }) };
}
