// Ports for the second factor: its codes, and what the database keeps of it.

import type { TotpSetup } from '@provenance-registry/core';

/** Time-based one-time passwords (RFC 6238). */
export interface Totp {
  /** A new secret, to be shown once, and its encrypted form, which only this user's row can use. */
  create(user: { readonly id: string; readonly label: string }): TotpSetup & { readonly encryptedSecret: Uint8Array };
  /** The time step that the code belongs to; undefined when it belongs to none of the current ones. */
  findStep(factor: Pick<SecondFactor, 'userId' | 'secret'>, code: string, now: Date): number | undefined;
}

export interface SecondFactors {
  /** Replaces one that was not confirmed. */
  start(userId: string, encryptedSecret: Uint8Array): Promise<void>;
  find(userId: string): Promise<SecondFactor | undefined>;
  confirm(userId: string, confirmed: { at: Date; step: number; recoveryCodeHashes: Uint8Array[] }): Promise<void>;
  /** A code of this time step was accepted: codes up to it work no more. */
  recordStep(userId: string, step: number): Promise<void>;
  /** Counts a wrong code; `blockedUntil`: undefined for no change. */
  recordFailure(userId: string, blockedUntil: Date | undefined): Promise<void>;
  /** Deletes the recovery code; false when there is none with this hash. */
  takeRecoveryCode(userId: string, hash: Uint8Array): Promise<boolean>;
  delete(userId: string): Promise<void>;
}

export interface SecondFactor {
  readonly userId: string;
  /** Encrypted. */
  readonly secret: Uint8Array;
  readonly isConfirmed: boolean;
  /** The time step of the last code that was accepted. */
  readonly lastStep: number;
  /** Wrong codes since the last right one. */
  readonly failures: number;
  readonly blockedUntil: Date | null;
}
