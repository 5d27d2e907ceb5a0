// What the rules and the chain need from each other and from the database: lookups on chain, and the queue of
// registrations on their way there.

/** Bytes as `0x` and lower-case hexadecimal digits. */
export type Hex = `0x${string}`;

export interface Chain {
  readonly registry: ChainRegistry;
  /** Tells the submitter that an Artifact is queued. */
  wake(): void;
  /** Throws when the node does not respond. */
  check(): Promise<void>;
}

/** The registries on chain, curated and public. */
export interface ChainRegistry {
  /** Undefined also when the chain is unavailable, slow or sends invalid data. Never throws or exceeds its deadline. */
  resolve(fingerprint: Hex): Promise<ChainEntry | undefined>;
}

export interface ChainEntry {
  readonly source: 'curated' | 'public';
  /** Web addresses only; at least one. */
  readonly endpoints: readonly string[];
  readonly manifestId: string;
  readonly registeredBy: string;
}

/** How the way to the chain is, for those who run the service. */
export interface ChainHealth {
  readonly backlog: Backlog;
  readonly transactions: Readonly<Record<string, number>>;
  readonly gasPerRegistration: number;
  /** Of the writing key, in wei; undefined until it is known. */
  readonly balance: bigint | undefined;
  readonly lowBalance: boolean;
}

/**
 * Artifacts on their way to the chain. Only the holder of the lease of a writing key moves them: every change takes the
 * lease along and throws `LeaseLost` when somebody else has it by then, without having changed anything.
 */
export interface RegistrationQueue {
  /** Takes the lease, or holds it for longer. False when somebody else has it. */
  hold(lease: Lease): Promise<boolean>;
  letGo(lease: Lease): Promise<void>;
  /** Those that are due and in no transaction, oldest first. */
  waiting(limit: number): Promise<WaitingRegistration[]>;
  /** Those under way, in the order of their nonces. */
  transactions(sender: ChainSender): Promise<ChainTransaction[]>;
  /** The attempts of one of them as they were signed, oldest first: large, and needed only to send it again. */
  signed(transactionId: string): Promise<Hex[]>;
  /** Those that are deep enough, and watched for a reorganisation. */
  confirmed(sender: ChainSender): Promise<ConfirmedTransaction[]>;
  /** Writes the transaction down with its first attempt; its Artifacts are `submitting` from then on. */
  assign(lease: Lease, transaction: NewChainTransaction, artifactIds: readonly string[]): Promise<void>;
  addAttempt(lease: Lease, transactionId: string, attempt: NewAttempt): Promise<void>;
  /** What became of Artifacts, and of the transactions that they were in, all at once. */
  settle(lease: Lease, outcome: Outcome): Promise<void>;
  /** They are on their way again: a reorganisation took their blocks. The Artifacts show nothing of it. */
  reopen(lease: Lease, transactionIds: readonly string[]): Promise<void>;
  /** Nothing can undo them any more. */
  forget(lease: Lease, transactionIds: readonly string[]): Promise<void>;
  /** Remembers which registry is written to; answers with all chains that ever were. */
  rememberRegistry(registry: { chainId: number; address: Hex }): Promise<void>;
  chainsUsed(): Promise<number[]>;
  backlog(): Promise<Backlog>;
}

export interface Lease {
  readonly name: string;
  readonly holder: string;
  readonly ms: number;
}

export class LeaseLost extends Error {}

export interface ChainSender {
  readonly chainId: number;
  readonly address: Hex;
}

export interface WaitingRegistration {
  readonly artifactId: string;
  readonly fingerprint: Hex;
  readonly manifestHash: Hex;
  readonly userId: string;
  /** Transactions that ended without registering it, and calls that the contract refused. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** It was on chain, and a reorganisation took it away: that it cannot be seen is no reason to fail it. */
  readonly wasSubmitted: boolean;
}

export interface Attempt {
  readonly hash: Hex;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

export interface NewAttempt extends Attempt {
  readonly raw: Hex;
}

export interface NewChainTransaction {
  readonly sender: ChainSender;
  readonly nonce: number;
  readonly recipient: Hex;
  readonly gas: bigint;
  readonly attempt: NewAttempt;
}

export interface ChainTransaction {
  readonly id: string;
  readonly nonce: number;
  readonly recipient: Hex;
  readonly gas: bigint;
  /** Oldest first. */
  readonly attempts: readonly Attempt[];
  readonly registrations: readonly WaitingRegistration[];
}

export interface ConfirmedTransaction {
  readonly id: string;
  readonly block: { readonly number: bigint; readonly hash: Hex };
}

export interface Outcome {
  /** Deep enough in this block, or gone for good. */
  readonly transactions?: readonly { readonly id: string; readonly block: { number: bigint; hash: Hex } | undefined }[];
  readonly submitted?: readonly { readonly artifactId: string; readonly transactionHash: Hex }[];
  /** Tried again from the start, not before that time. */
  readonly again?: readonly { readonly artifactId: string; readonly reason: string; readonly delayMs: number }[];
  readonly failed?: readonly { readonly artifactId: string; readonly reason: string }[];
  /** Nothing can undo them any more. One that is submitted without a transaction of ours is this, or looked at again. */
  readonly finished?: readonly string[];
}

export interface Backlog {
  /** Artifacts that are `pending` or `submitting`. */
  readonly pending: number;
  readonly oldestPendingSeconds: number;
}
