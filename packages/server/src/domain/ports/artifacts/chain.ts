// Ports for the chain: lookups in its registries, and the queue of registrations to be written there.

/** Bytes as `0x` and lower-case hexadecimal digits. */
export type Hex = `0x${string}`;

export interface Chain {
  readonly registry: ChainRegistry;
  readonly registrations: ChainRegistrations;
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

/** Entries of the curated registry with the transactions that wrote them, as a node shows them now. */
export interface ChainRegistrations {
  /** Undefined when the chain does not respond in time. Never throws. */
  read(fingerprint: Hex, transactionHash: Hex): Promise<ChainRegistration | undefined>;
}

export interface ChainRegistration {
  /** Undefined: the contract has no curated entry of the fingerprint. */
  readonly entry:
    | { readonly manifestId: string; readonly manifestHash: Hex; readonly registeredBy: Hex; readonly time: Date }
    | undefined;
  /** Undefined: the node does not know it, or it is not in a block. */
  readonly transaction: { readonly from: Hex; readonly blockNumber: bigint; readonly blockHash: Hex } | undefined;
}

/** The public registry on chain, which anyone may write to. */
export interface PublicRegistry {
  /**
   * The entry of this account for the fingerprint; without an account, the earliest one. Throws UNAVAILABLE when the
   * chain does not respond in time.
   */
  findEntry(fingerprint: Hex, account: Hex | undefined): Promise<PublicEntry | undefined>;
}

export interface PublicEntry {
  readonly registeredBy: Hex;
  /** Time of the block. */
  readonly time: Date;
}

/** The state of this process's reader and submitter, for operators. Undefined: not known to this process. */
export interface ChainHealth {
  /** The node failed repeatedly, and lookups do without it for a while. */
  readonly isBreakerOpen: boolean;
  /** Undefined: this process does not write. */
  readonly holdsLease: boolean | undefined;
  /** Transactions since the start, by outcome. */
  readonly transactions: Readonly<Record<string, number>>;
  readonly gasPerRegistration: number | undefined;
  /** Balance of the writing key in wei, if this process holds its lease. */
  readonly balance: bigint | undefined;
  readonly lowBalance: boolean | undefined;
  /** The last anchor of the public log: how old it is while the log has grown since, otherwise 0. */
  readonly anchor: { readonly ageSeconds: number; readonly intervalSeconds: number } | undefined;
}

/**
 * Artifacts and renditions to be registered on chain. Only the holder of a writing key's lease changes them: every change takes the
 * lease, and throws `LeaseLostError` without changing anything when another process has taken it since.
 */
export interface ChainOutbox {
  /** Takes or extends the lease. False when another process holds it. */
  acquireLease(lease: Lease): Promise<boolean>;
  releaseLease(lease: Lease): Promise<void>;
  /** Registrations that are due and in no transaction, oldest first. A signed copy is due once its Artifact is submitted. */
  listWaiting(limit: number): Promise<WaitingRegistration[]>;
  /** Unconfirmed transactions, in the order of their nonces. */
  listTransactions(sender: ChainSender): Promise<ChainTransaction[]>;
  /** The signed attempts of a transaction, oldest first: large, and needed only to send it again. */
  listSignedAttempts(transactionId: string): Promise<Hex[]>;
  /** Transactions that are deep enough, and watched for a reorganization. */
  listConfirmed(sender: ChainSender): Promise<ConfirmedTransaction[]>;
  /** Saves the transaction with its first attempt, and moves its Artifacts to `submitting`. */
  assign(lease: Lease, transaction: NewChainTransaction, artifactIds: readonly string[]): Promise<void>;
  addAttempt(lease: Lease, transactionId: string, attempt: NewAttempt): Promise<void>;
  /** Saves what became of Artifacts and of their transactions, in one transaction of the database. */
  settle(lease: Lease, outcome: RegistrationOutcome): Promise<void>;
  /**
   * Unconfirms transactions whose blocks a reorganization removed, and forgets the anchors of the log in these blocks. The
   * status of their Artifacts stays.
   */
  reopen(lease: Lease, transactionIds: readonly string[]): Promise<void>;
  /** Deletes transactions that no reorganization can remove any more. */
  deleteTransactions(lease: Lease, transactionIds: readonly string[]): Promise<void>;
  /** Remembers which registry is written to. */
  saveRegistry(registry: { chainId: number; address: Hex }): Promise<void>;
  /** The ids of all chains that were ever written to. */
  listUsedChains(): Promise<number[]>;
  readBacklog(): Promise<Backlog>;
}

export interface Lease {
  readonly name: string;
  readonly holder: string;
  readonly ms: number;
}

export class LeaseLostError extends Error {}

export interface ChainSender {
  readonly chainId: number;
  readonly address: Hex;
}

export interface WaitingRegistration {
  /** Id of the Artifact, or of the signed copy. */
  readonly artifactId: string;
  /** Id on chain: that of the Artifact, for its signed copies too. */
  readonly manifestId: string;
  readonly fingerprint: Hex;
  readonly manifestHash: Hex;
  readonly userId: string;
  /** The Mark, if it is private: its users are registered under a pseudonym. */
  readonly privateMarkId: string | null;
  /** Transactions that ended without registering it, and calls that the contract refused. */
  readonly attempts: number;
  readonly ageMs: number;
  /** It was on chain before a reorganization: not finding it there is no reason to fail it. */
  readonly wasSubmitted: boolean;
  /** Trace of the request that created it, if that was traced. */
  readonly traceContext: string | undefined;
}

export interface Attempt {
  readonly hash: Hex;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

export interface NewAttempt extends Attempt {
  readonly raw: Hex;
}

export interface NewChainTransaction extends Pick<ChainTransaction, 'nonce' | 'recipient' | 'gas'> {
  readonly sender: ChainSender;
  readonly attempt: NewAttempt;
}

export interface ChainTransaction {
  readonly id: string;
  readonly nonce: number;
  readonly recipient: Hex;
  readonly gas: bigint;
  readonly createdAt: Date;
  /** Oldest first. */
  readonly attempts: readonly Attempt[];
  readonly registrations: readonly WaitingRegistration[];
}

export interface ConfirmedTransaction {
  readonly id: string;
  readonly nonce: number;
  readonly block: { readonly number: bigint; readonly hash: Hex };
}

export interface RegistrationOutcome {
  /** Deep enough in this block; without a block, gone for good. */
  readonly transactions?: readonly { readonly id: string; readonly block: ConfirmedTransaction['block'] | undefined }[];
  readonly submitted?: readonly { readonly artifactId: string; readonly transactionHash: Hex }[];
  /** Submitted again in another transaction, after the delay. */
  readonly retries?: readonly { readonly artifactId: string; readonly reason: string; readonly delayMs: number }[];
  /** An Artifact's renditions fail with it. */
  readonly failed?: readonly { readonly artifactId: string; readonly reason: string }[];
  /** Leave the queue: no reorganization can undo them any more. */
  readonly finished?: readonly string[];
}

export interface Backlog {
  /** Artifacts and renditions that are `pending` or `submitting`. */
  readonly pending: number;
  readonly oldestPendingSeconds: number;
}
