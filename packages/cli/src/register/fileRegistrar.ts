// What happens to a file: its fingerprint from the journal or by hashing, then the service, then the journal again.
// Hashing and sending overlap; only so many files are under way at once, however many there are.

import { randomUUID } from 'node:crypto';
import { FileChanged, hashFile } from '@provenance-registry/client/node';
import { type Fingerprint, limitConcurrency } from '@provenance-registry/core';
import { systemReason } from '../errors.js';
import { type Journal, JournalProblem, type Kept } from './journal.js';
import { bytesOf } from './paths.js';
import type { Answer, Sender } from './registrationApi.js';
import type { Tally } from './stats.js';
import { type Brake, Halted } from './stopController.js';
import { type FoundFile, type Identity, identify, isSame } from './walk.js';

export interface RegistrarOptions {
  readonly sender: Sender;
  readonly journal: Journal;
  readonly brake: Brake;
  readonly tally: Tally;
  readonly concurrency: number;
  readonly dryRun: boolean;
  readonly wait: boolean;
  readonly versions: boolean;
}

export interface Registrar {
  /** Settles when there is room for another file; what becomes of this one is in the tally. */
  take(file: FoundFile): Promise<void>;
  /** When all that were taken have come to their end. */
  finish(): Promise<void>;
}

/** Reading takes turns of its own: more at once only makes a disk jump to and fro. */
const HASHES_AT_ONCE = 4;
/** For each one that is being sent, so many are hashed or being hashed, so that nobody waits for a disk. */
const AHEAD = 3;
/** A file that is written to all the time is not read for ever. */
const HASH_ATTEMPTS = 2;

export function createRegistrar(options: RegistrarOptions): Registrar {
  const { sender, journal, brake, tally, concurrency, dryRun, wait, versions } = options;
  const hashing = turns(HASHES_AT_ONCE);
  const sending = turns(concurrency);
  const waiting = turns(concurrency);
  /** By content: what is sent for one file answers for all others. Once it is registered, the journal knows. */
  const answers = new Map<Fingerprint, Promise<Answer>>();
  const underWay = new Set<Promise<void>>();
  const settling = new Set<Promise<void>>();

  async function fingerprinted(file: FoundFile): Promise<Kept> {
    const before = journal.get(file.path);
    if (before && isSame(before.identity, file.identity)) {
      tally.fromJournal += 1;
      tally.addBytes(file.identity.size);
      return before;
    }
    const hashed = await hashing(() => hash(file, tally, brake.signal));
    tally.hashed += 1;
    const isNewVersion = versions && before?.registered && before.fingerprint !== hashed.fingerprint;
    const kept = { ...hashed, key: randomUUID(), ...(isNewVersion && { previous: before.fingerprint }) };
    journal.keep(file.path, kept);
    await journal.sync();
    return kept;
  }

  async function answerFor(file: FoundFile, kept: Kept): Promise<Answer> {
    const { fingerprint } = kept;
    const registered = kept.registered ?? journal.registeredAs(fingerprint);
    if (registered) {
      return { outcome: 'yours', artifactId: registered.id, ...(registered.submitted && { status: 'submitted' }) };
    }
    const shared = answers.get(fingerprint);
    if (shared) return asCopy(await shared);
    const answer = sending(async () => {
      brake.signal.throwIfAborted();
      return dryRun ? sender.check(fingerprint) : sender.register(file.path, kept);
    });
    answers.set(fingerprint, answer);
    return answer;
  }

  function record(file: FoundFile, kept: Kept, answer: Answer): void {
    const { outcome, artifactId, status } = answer;
    const submitted = status === 'submitted';
    const isRegistered = (outcome === 'registered' || outcome === 'yours') && artifactId !== undefined;
    const isNews = kept.registered?.id !== artifactId || kept.registered?.submitted !== submitted;
    if (isRegistered && isNews) journal.keep(file.path, { ...kept, registered: { id: artifactId, submitted } });
    if (isRegistered || outcome === 'failed') answers.delete(kept.fingerprint);
    if (status !== 'failed') return;
    journal.withdraw(kept.fingerprint);
    // With the same key, its first answer would be given again.
    journal.keep(file.path, { ...kept, key: randomUUID(), registered: undefined });
  }

  /** A failure of the journal ends the run, but what is known is told all the same. */
  function remember(file: FoundFile, kept: Kept, answer: Answer): void {
    try {
      record(file, kept, answer);
    } catch (error) {
      halt(error);
    }
  }

  function conclude(file: FoundFile, kept: Kept, answer: Answer): void {
    remember(file, kept, answer);
    tally.add({ path: file.shown, fingerprint: kept.fingerprint, ...answer });
  }

  async function handle(file: FoundFile): Promise<void> {
    const kept = await fingerprinted(file);
    const answer = await answerFor(file, kept);
    if (!wait || dryRun || !isOnItsWay(answer)) return conclude(file, kept, answer);
    // So that a crash meanwhile does not forget it.
    remember(file, kept, answer);
    follow(settling, file, async () => {
      conclude(file, kept, await waiting(() => sender.settle(kept.fingerprint, answer)));
    });
  }

  function halt(error: unknown): void {
    if (!(error instanceof JournalProblem)) throw error;
    brake.pull(error);
  }

  /** Whatever happens, the file is in the tally in the end. */
  function follow(all: Set<Promise<void>>, file: FoundFile, work: () => Promise<void>): void {
    const followed = work()
      .catch((error: unknown) => {
        if (error instanceof JournalProblem) halt(error);
        if (error instanceof JournalProblem || error instanceof Halted) tally.left += 1;
        else tally.add({ path: file.shown, outcome: 'failed', reason: reasonOf(error) });
      })
      .finally(() => all.delete(followed));
    all.add(followed);
  }

  return {
    async take(file) {
      follow(underWay, file, () => handle(file));
      while (underWay.size >= concurrency * (1 + AHEAD)) await Promise.race(underWay);
    },
    async finish() {
      while (underWay.size + settling.size > 0) await Promise.all([...underWay, ...settling]);
    },
  };
}

/** Registered, and the chain does not have it yet, as far as that is known. */
function isOnItsWay({ outcome, status }: Answer): boolean {
  return (outcome === 'registered' || outcome === 'yours') && status !== 'submitted';
}

/** It was registered with the first file of this content. */
function asCopy(answer: Answer): Answer {
  return answer.outcome === 'registered' ? { ...answer, outcome: 'yours' } : answer;
}

function turns(atOnce: number) {
  return limitConcurrency(atOnce, Number.POSITIVE_INFINITY, () => new Error('there is always room to wait'));
}

/** Once more when it changes meanwhile; then it is not worth it. */
async function hash(
  file: FoundFile,
  tally: Tally,
  signal: AbortSignal,
): Promise<{ fingerprint: Fingerprint; identity: Identity }> {
  let identity = file.identity;
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    let read = 0;
    const onProgress = ({ bytes }: { readonly bytes: number }) => {
      tally.addBytes(bytes - read);
      read = bytes;
    };
    try {
      const { fingerprint } = await hashFile(bytesOf(file.path), { signal, onProgress });
      if (isSame(identity, await identify(file.path))) return { fingerprint, identity };
      throw new FileChanged('it was changed while it was read');
    } catch (error) {
      tally.addBytes(-read);
      if (!(error instanceof FileChanged) || attempt === HASH_ATTEMPTS) throw error;
    }
    identity = await identify(file.path);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof FileChanged ? 'it was changed while it was read' : systemReason(error);
}
