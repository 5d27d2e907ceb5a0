// Sends one fingerprint, and says what came of it.

import {
  ApiError,
  InvalidResponseError,
  type RegistryClient,
  ServiceUnreachableError,
  waitForStatus,
} from '@provenance-registry/client';
import type { Artifact, ArtifactStatus, Fingerprint } from '@provenance-registry/core';
import { asCommandError } from '../explain.js';
import type { Kept } from './journal.js';
import { mediaTypeOf } from './mediaTypes.js';
import type { Ask } from './outageRetry.js';
import { type BytePath, nameOf, textOf } from './paths.js';
import type { Outcome } from './stats.js';
import { type Brake, Halted } from './stopController.js';

export interface Answer {
  readonly outcome: Exclude<Outcome, 'skipped'>;
  readonly artifactId?: string | undefined;
  readonly status?: ArtifactStatus | undefined;
  readonly mark?: string | undefined;
  readonly reason?: string | undefined;
}

export interface SenderOptions {
  readonly client: RegistryClient;
  readonly ask: Ask;
  readonly brake: Brake;
  readonly markId: string;
  /** Names of the Marks that the caller may write under, by id. */
  readonly ownMarks: ReadonlyMap<string, string>;
  /** Told of every request to register. */
  readonly onSend: () => void;
}

export interface Sender {
  register(path: BytePath, kept: Kept): Promise<Answer>;
  /** What registering would come to; sends nothing. */
  check(fingerprint: Fingerprint): Promise<Answer>;
  /** The same answer once the chain has it, or never will. */
  settle(fingerprint: Fingerprint, answer: Answer): Promise<Answer>;
}

/** Such refusals are about the caller or the Mark: every other file would get the same. */
const ABOUT_ALL = new Set([401, 403, 404, 429]);

export function createSender({ client, ask, brake, markId, ownMarks, onSend }: SenderOptions): Sender {
  async function register(path: BytePath, kept: Kept): Promise<Answer> {
    onSend();
    try {
      const request = requestFor(markId, path, kept);
      const artifact = await ask(() => client.createArtifact(request, { idempotencyKey: kept.key }));
      return { outcome: 'registered', artifactId: artifact.id, status: artifact.status };
    } catch (error) {
      if (error instanceof ApiError && error.code === 'CONFLICT') return existing(kept.fingerprint, error.message);
      return refusal(error);
    }
  }

  async function existing(fingerprint: Fingerprint, refusal: string): Promise<Answer> {
    const answer = await check(fingerprint);
    return answer.outcome === 'new' ? { outcome: 'failed', reason: refusal } : answer;
  }

  async function check(fingerprint: Fingerprint): Promise<Answer> {
    try {
      return whose(await ask(() => client.getArtifact({ fingerprint })));
    } catch (error) {
      if (error instanceof ApiError && error.code === 'NOT_FOUND') return { outcome: 'new' };
      return refusal(error);
    }
  }

  async function refusal(error: unknown): Promise<Answer> {
    if (!(error instanceof ApiError && ABOUT_ALL.has(error.status))) return withoutAnswer(error);
    brake.pull(await asCommandError(error));
    throw new Halted();
  }

  function whose({ id, status, mark }: Artifact): Answer {
    if (status === 'failed') return { outcome: 'new' };
    const name = 'name' in mark ? mark.name : ownMarks.get(mark.id);
    const outcome = mark.id === markId || ownMarks.has(mark.id) ? 'yours' : 'others';
    return { outcome, artifactId: id, status, ...(mark.id !== markId && { mark: name ?? mark.id }) };
  }

  async function settle(fingerprint: Fingerprint, answer: Answer): Promise<Answer> {
    try {
      const { status, errorReason } = await ask(() => waitForStatus(client, fingerprint, { signal: brake.signal }));
      return status === 'failed'
        ? { ...answer, status, outcome: 'refused', reason: errorReason ?? 'The chain does not take it.' }
        : { ...answer, status };
    } catch (error) {
      // It is registered all the same; only the waiting is over.
      if (error instanceof Halted) return answer;
      const { reason } = withoutAnswer(error);
      return {
        ...answer,
        outcome: 'failed',
        reason: `Registered, but it is not known whether the chain has it: ${reason}`,
      };
    }
  }

  return { register, check, settle };
}

function withoutAnswer(error: unknown): Answer {
  if (error instanceof ApiError) return { outcome: 'refused', reason: error.message };
  if (error instanceof ServiceUnreachableError || error instanceof InvalidResponseError)
    return { outcome: 'failed', reason: error.message };
  throw error;
}

/** The same for the same record, always: an idempotency key stands for one request. */
function requestFor(markId: string, path: BytePath, { fingerprint, identity, previous }: Kept) {
  const filename = textOf(nameOf(path)).replaceAll(/\p{Cc}/gu, '\uFFFD');
  const mediaType = mediaTypeOf(filename);
  const lastModified = Number(identity.mtimeNs / 1_000_000n);
  return {
    markId,
    fingerprint,
    filename,
    size: identity.size,
    ...(mediaType !== undefined && { mediaType }),
    // The service knows no time before 1970.
    ...(lastModified >= 0 && { lastModified }),
    ...(previous !== undefined && { previousFingerprint: previous }),
  };
}
