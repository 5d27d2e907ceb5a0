// What an audit finds: something that database, published files and chain do not say alike.

/** docs/audit.md says of each what it means, and what a repair does. */
export type DivergenceCode =
  | 'file-missing'
  | 'signature-broken'
  | 'manifest-of-another'
  | 'report-differs'
  | 'card-broken'
  | 'file-stray'
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
  | 'answer-without-artifact';

export interface Divergence {
  readonly code: DivergenceCode;
  /** What it is about; the same divergence has the same ones whenever it is looked at. */
  readonly about: {
    readonly artifactId?: string;
    readonly file?: string;
    readonly ownerId?: string;
    readonly counter?: string;
    readonly callerId?: string;
    readonly key?: string;
  };
  readonly message: string;
  /** Undefined when nothing can put it right. False: it has changed since, or something forbids it. */
  readonly repair?: () => Promise<boolean>;
}

export function faultOfArtifact(
  code: DivergenceCode,
  artifactId: string,
  reason: string,
  repair?: () => Promise<boolean>,
): Divergence {
  return { code, about: { artifactId }, message: `Artifact ${artifactId}: ${reason}`, ...(repair && { repair }) };
}
