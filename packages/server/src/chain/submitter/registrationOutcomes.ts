// Decides what became of registrations by the state of the contract.

import {
  type Head,
  readCuratedManifestIds,
  readReceipt,
  registeredFingerprints,
} from '@provenance-registry/chain-client';
import type { Hex, RegistrationOutcome, WaitingRegistration } from '../../domain/ports/index.js';
import { findTransactionHash } from '../curatedEntries.js';
import { REORG_DEPTH } from './reorgWatcher.js';
import { confirmedBlock, type SubmitterContext } from './state.js';

/** Delay after the first refusal; it doubles each time. */
const FIRST_RETRY_DELAY_MS = 1_000;
const MAX_RETRY_DELAY_MS = 60_000;

/** Registrations by what the contract has for their fingerprints. */
export interface ClassifiedRegistrations {
  /** Nothing. */
  readonly unregistered: readonly WaitingRegistration[];
  /** Their own id. */
  readonly registered: readonly WaitingRegistration[];
  /** Another id. */
  readonly conflicting: readonly WaitingRegistration[];
}

export class RegistrationOutcomes {
  constructor(private readonly context: SubmitterContext) {}

  async classifyByChainState(registrations: readonly WaitingRegistration[]): Promise<ClassifiedRegistrations> {
    const { node, registry } = this.context;
    const fingerprints = registrations.map(({ fingerprint }) => fingerprint);
    const ids = await readCuratedManifestIds(node, registry, fingerprints);
    const classified = {
      unregistered: [] as WaitingRegistration[],
      registered: [] as WaitingRegistration[],
      conflicting: [] as WaitingRegistration[],
    };
    for (const [index, registration] of registrations.entries()) {
      const id = ids[index];
      if (id === undefined) classified.unregistered.push(registration);
      else if (id === toBytes16(registration.manifestId)) classified.registered.push(registration);
      else classified.conflicting.push(registration);
    }
    return classified;
  }

  /**
   * The outcome of registrations that no transaction can register any more. Those that the contract does not have are
   * retried, or fail when their retries are used up; those that it has are classified with the next batch.
   */
  async decideWithoutTransaction(
    registrations: readonly WaitingRegistration[],
    reason: string,
  ): Promise<RegistrationOutcome> {
    if (registrations.length === 0) return {};
    const { unregistered, registered, conflicting } = await this.classifyByChainState(registrations);
    const failed = unregistered.filter((one) => this.#hasNoRetriesLeft(one));
    return {
      failed: failed.map(({ artifactId }) => ({ artifactId, reason: `Not registered on chain: ${reason}.` })),
      retries: [
        ...unregistered.filter((one) => !failed.includes(one)).map((one) => retryLater(one, reason)),
        ...[...registered, ...conflicting].map(({ artifactId }) => ({ artifactId, reason, delayMs: 0 })),
      ],
    };
  }

  /** Records registrations that are on chain by unknown transactions, once these are confirmed. */
  async recordFound({ registered, conflicting }: ClassifiedRegistrations, head: Head): Promise<void> {
    const { queue, node, registry, lease } = this.context;
    for (let rest = [...registered, ...conflicting]; rest.length > 0; ) {
      const [first] = rest;
      const transactionHash = await findTransactionHash(node, registry, first?.fingerprint ?? '0x');
      const receipt = await readReceipt(node, transactionHash);
      const fingerprints = registeredFingerprints(receipt?.logs ?? [], registry);
      const ofTransaction = rest.filter((one) => one === first || fingerprints.has(one.fingerprint));
      const found = {
        registered: ofTransaction.filter((one) => registered.includes(one)),
        conflicting: ofTransaction.filter((one) => conflicting.includes(one)),
      };
      const isConfirmed = receipt !== undefined && receipt.blockNumber <= confirmedBlock(this.context, head);
      const isFinal = receipt !== undefined && receipt.blockNumber + REORG_DEPTH <= confirmedBlock(this.context, head);
      await queue.settle(
        lease,
        isConfirmed
          ? outcomeOfFound(found, transactionHash, isFinal)
          : { retries: ofTransaction.map((one) => retryLater(one, 'on chain, waiting for confirmations')) },
      );
      rest = rest.filter((one) => !ofTransaction.includes(one));
    }
  }

  #hasNoRetriesLeft({ attempts, ageMs, wasSubmitted }: WaitingRegistration): boolean {
    const { retry } = this.context;
    return !wasSubmitted && attempts + 1 >= retry.attempts && ageMs >= retry.ms;
  }
}

function outcomeOfFound(
  { registered, conflicting }: Pick<ClassifiedRegistrations, 'registered' | 'conflicting'>,
  transactionHash: Hex,
  isFinal: boolean,
): RegistrationOutcome {
  // An Artifact that was submitted does not fail: a reorganization may remove the conflicting entry again.
  const failed = conflicting.filter(({ wasSubmitted }) => !wasSubmitted);
  const watched = [...(isFinal ? [] : registered), ...conflicting.filter(({ wasSubmitted }) => wasSubmitted)];
  return {
    submitted: registered.map(({ artifactId }) => ({ artifactId, transactionHash })),
    failed: failed.map(({ artifactId }) => ({
      artifactId,
      reason: 'The registry contract has this fingerprint under another id.',
    })),
    retries: watched.map((one) => retryLater(one, 'on chain, watched for reorganizations')),
    finished: isFinal ? registered.map(({ artifactId }) => artifactId) : [],
  };
}

/** A UUID as the 16 bytes that the contract stores. */
export function toBytes16(uuid: string): Hex {
  return `0x${uuid.replaceAll('-', '')}`;
}

function retryLater({ artifactId, attempts }: WaitingRegistration, reason: string) {
  const delayMs = Math.min(FIRST_RETRY_DELAY_MS * 2 ** Math.min(attempts, 16), MAX_RETRY_DELAY_MS);
  return { artifactId, reason, delayMs };
}
