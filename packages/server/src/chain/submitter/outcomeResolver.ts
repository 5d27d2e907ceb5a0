// What became of registrations, as the contract tells it: it has the last word on each of them.

import {
  type Head,
  readCuratedManifestIds,
  readReceipt,
  registeredFingerprints,
} from '@provenance-registry/chain-client';
import type { Hex, Outcome, WaitingRegistration } from '../../domain/ports/index.js';
import { findTransactionHash } from '../curatedEntries.js';
import { REORG_DEPTH } from './reorgWatcher.js';
import { deepBlock, type Submission } from './state.js';

/** After a refusal: one second, then twice as long each time, to this. */
const MAX_RETRY_DELAY_MS = 60_000;

/** Registrations by what the contract has under their fingerprints: nothing, their own id, another id. */
export interface Sifted {
  readonly absent: readonly WaitingRegistration[];
  readonly ours: readonly WaitingRegistration[];
  readonly others: readonly WaitingRegistration[];
}

export interface Verdicts {
  sift(registrations: readonly WaitingRegistration[]): Promise<Sifted>;
  /**
   * For those that no transaction can bring to the chain any more. What the contract does not have is tried again, or
   * fails when its budget is used up; what it has all the same is looked at with the next batch.
   */
  judge(registrations: readonly WaitingRegistration[], reason: string): Promise<Outcome>;
  /** On chain by a transaction that is not known here: written down when it is deep enough, and watched from then on. */
  settleFound(found: Sifted, head: Head): Promise<void>;
}

export function createVerdicts(submission: Submission): Verdicts {
  const { node, registry, queue, lease, retry } = submission;

  async function sift(registrations: readonly WaitingRegistration[]): Promise<Sifted> {
    const fingerprints = registrations.map(({ fingerprint }) => fingerprint);
    const ids = await readCuratedManifestIds(node, registry, fingerprints);
    const found = new Map(registrations.map((registration, index) => [registration, ids[index]]));
    const isOurs = (registration: WaitingRegistration) => found.get(registration) === bytes16(registration.artifactId);
    const isAbsent = (registration: WaitingRegistration) => found.get(registration) === undefined;
    return {
      absent: registrations.filter(isAbsent),
      ours: registrations.filter(isOurs),
      others: registrations.filter((registration) => !isOurs(registration) && !isAbsent(registration)),
    };
  }

  async function judge(registrations: readonly WaitingRegistration[], reason: string): Promise<Outcome> {
    if (registrations.length === 0) return {};
    const { absent, ours, others } = await sift(registrations);
    const over = absent.filter(isOver);
    return {
      failed: over.map(({ artifactId }) => ({ artifactId, reason: `Not registered on chain: ${reason}.` })),
      again: [
        ...absent.filter((registration) => !over.includes(registration)).map((one) => later(one, reason)),
        ...[...ours, ...others].map(({ artifactId }) => ({ artifactId, reason, delayMs: 0 })),
      ],
    };
  }

  function isOver({ attempts, createdAt, wasSubmitted }: WaitingRegistration): boolean {
    return !wasSubmitted && attempts + 1 >= retry.attempts && Date.now() - createdAt.getTime() >= retry.ms;
  }

  /** One transaction at a time, each written down at once: finding one takes a while on a long chain. */
  async function settleFound({ ours, others }: Sifted, head: Head): Promise<void> {
    for (let rest = [...ours, ...others]; rest.length > 0; ) {
      const [first] = rest;
      const transactionHash = await findTransactionHash(node, registry, first?.fingerprint ?? '0x');
      const receipt = await readReceipt(node, transactionHash);
      const registered = registeredFingerprints(receipt?.logs ?? [], registry);
      const together = rest.filter((one) => one === first || registered.has(one.fingerprint));
      const found = {
        ours: together.filter((one) => ours.includes(one)),
        others: together.filter((one) => others.includes(one)),
      };
      const isDeep = receipt !== undefined && receipt.blockNumber <= deepBlock(submission, head);
      const isSafe = receipt !== undefined && receipt.blockNumber + REORG_DEPTH <= deepBlock(submission, head);
      await queue.settle(lease, isDeep ? believe(found, transactionHash, isSafe) : { again: together.map(tooShallow) });
      rest = rest.filter((one) => !together.includes(one));
    }
  }

  function believe({ ours, others }: Pick<Sifted, 'ours' | 'others'>, transactionHash: Hex, isSafe: boolean): Outcome {
    // One that was shown as registered is not shown as failed: what took its place may be gone tomorrow.
    const failed = others.filter(({ wasSubmitted }) => !wasSubmitted);
    const watched = [...(isSafe ? [] : ours), ...others.filter(({ wasSubmitted }) => wasSubmitted)];
    return {
      submitted: ours.map(({ artifactId }) => ({ artifactId, transactionHash })),
      failed: failed.map(({ artifactId }) => ({
        artifactId,
        reason: 'The registry contract has this fingerprint under another id.',
      })),
      again: watched.map((one) => later(one, 'on chain, and watched')),
      finished: isSafe ? ours.map(({ artifactId }) => artifactId) : [],
    };
  }

  return { sift, judge, settleFound };
}

/** A UUID's text as the sixteen bytes that the contract keeps. */
export function bytes16(uuid: string): Hex {
  return `0x${uuid.replaceAll('-', '')}`;
}

function tooShallow(registration: WaitingRegistration) {
  return later(registration, 'on chain, but not deep enough');
}

function later({ artifactId, attempts }: WaitingRegistration, reason: string) {
  const delayMs = Math.min(1_000 * 2 ** Math.min(attempts, 16), MAX_RETRY_DELAY_MS);
  return { artifactId, reason, delayMs };
}
