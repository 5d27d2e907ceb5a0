// The requests for one fingerprint, and how their responses become its result. Creations go out in batches.

import {
  ApiError,
  InvalidResponseError,
  type RegistrationInput,
  type RegistryClient,
  registerOrFind,
  ServiceUnreachableError,
  waitForStatus,
} from '@provenance-registry/client';
import type { Artifact, Fingerprint, Mark } from '@provenance-registry/core';
import { toCommandError } from '../toCommandError.js';
import { guessMediaType } from '../walk/mediaTypes.js';
import { type BytePath, baseName, toText } from '../walk/paths.js';
import { createCreationBatcher } from './creationBatcher.js';
import type { JournalRecord } from './journal.js';
import type { OutageRetry } from './outageRetry.js';
import type { FingerprintResult, RunStats } from './stats.js';
import { RunStoppedError, type StopController } from './stopController.js';

export interface RegistrationApiOptions {
  readonly client: RegistryClient;
  /** Requests in parallel. */
  readonly concurrency: number;
  readonly withOutageRetry: OutageRetry;
  readonly stopController: StopController;
  readonly markId: string;
  readonly digitalSourceType?: RegistrationInput['digitalSourceType'];
  readonly authorshipStated: boolean;
  /** Whether codes are sent with the fingerprints. */
  readonly sendsCodes: boolean;
  /** Marks that the caller may register under. */
  readonly marks: readonly Mark[];
  readonly stats: RunStats;
}

export interface RegistrationApi {
  /** Rejects with RunStoppedError if the run stops before the file is sent. */
  register(path: BytePath, record: JournalRecord): Promise<FingerprintResult>;
  /** What `register` would result in; registers nothing. */
  lookUp(fingerprint: Fingerprint): Promise<FingerprintResult>;
  /** The result once the registration is confirmed on chain or has failed. */
  waitForChain(fingerprint: Fingerprint, result: FingerprintResult): Promise<FingerprintResult>;
  /** Files that the next request takes at most; 1 by default. */
  batchSize?(): number;
}

/** Refusals that concern the caller or the Mark: every other file would get the same. */
const RUN_ENDING_STATUSES = new Set([401, 403, 404, 429]);

export function createRegistrationApi(options: RegistrationApiOptions): RegistrationApi {
  const { client, withOutageRetry, stopController, markId, digitalSourceType, authorshipStated, sendsCodes, stats } =
    options;
  const ownMarks = new Map(options.marks.map(({ id, name }) => [id, name]));
  const batcher = createCreationBatcher(options);

  const register: RegistrationApi['register'] = (path, record) =>
    batcher.limitFiles(() => {
      stopController.signal.throwIfAborted();
      return registerFile(path, record);
    });

  async function registerFile(path: BytePath, record: JournalRecord): Promise<FingerprintResult> {
    const stated = { digitalSourceType, ...(authorshipStated && { authorshipStated }) };
    const codes = sendsCodes ? record.codes : undefined;
    const input = { ...toRegistrationInput(markId, path, record), ...stated, ...codes };
    let isCounted = false;
    const countOnce = () => {
      if (isCounted) return;
      isCounted = true;
      stats.sent += 1;
      if (codes && Object.keys(codes).length > 0) stats.withCodes += 1;
    };
    const { idempotencyKey } = record;
    const batchedClient = {
      createArtifact: () => batcher.createArtifact({ ...input, idempotencyKey }, countOnce),
      getArtifact: batcher.getArtifact,
    };
    try {
      const { artifact, isNew } = await withOutageRetry(() => registerOrFind(batchedClient, input));
      if (!isNew) return toExisting(artifact);
      const { id, status, similarTo, log } = artifact;
      if (log) stats.lastLogged = record.fingerprint;
      return { outcome: 'registered', artifactId: id, status, ...(similarTo && { similarTo }) };
    } catch (error) {
      // The idempotency key was used for another request: nothing is known about the file.
      if (error instanceof ApiError && error.code === 'CONFLICT') return { outcome: 'failed', reason: error.message };
      return toRefusal(error);
    }
  }

  async function lookUp(fingerprint: Fingerprint): Promise<FingerprintResult> {
    try {
      const artifact = await withOutageRetry(() => client.getArtifact({ fingerprint }));
      return artifact.status === 'failed' ? { outcome: 'new' } : toExisting(artifact);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'NOT_FOUND') return { outcome: 'new' };
      return toRefusal(error);
    }
  }

  function toExisting({ id, status, mark }: Artifact): FingerprintResult {
    const name = 'name' in mark ? mark.name : ownMarks.get(mark.id);
    const outcome = mark.id === markId || ownMarks.has(mark.id) ? 'yours' : 'others';
    return { outcome, artifactId: id, status, ...(mark.id !== markId && { mark: name ?? mark.id }) };
  }

  async function toRefusal(error: unknown): Promise<FingerprintResult> {
    if (!(error instanceof ApiError && RUN_ENDING_STATUSES.has(error.status))) return toFileFailure(error);
    stopController.stop(await toCommandError(error));
    throw new RunStoppedError();
  }

  async function waitForChain(fingerprint: Fingerprint, result: FingerprintResult): Promise<FingerprintResult> {
    try {
      const { status, errorReason } = await withOutageRetry(() =>
        waitForStatus(client, fingerprint, { signal: stopController.signal }),
      );
      return status === 'failed'
        ? { ...result, status, outcome: 'refused', reason: errorReason ?? 'The chain refused the registration.' }
        : { ...result, status };
    } catch (error) {
      // The file is registered; only the waiting ends.
      if (error instanceof RunStoppedError) return result;
      const { reason } = toFileFailure(error);
      return {
        ...result,
        outcome: 'failed',
        reason: `Registered, but could not check whether it is confirmed on chain: ${reason}`,
      };
    }
  }

  return { register, lookUp, waitForChain, batchSize: batcher.batchSize };
}

function toFileFailure(error: unknown): FingerprintResult {
  if (error instanceof ApiError) return { outcome: 'refused', reason: error.message };
  if (error instanceof ServiceUnreachableError || error instanceof InvalidResponseError)
    return { outcome: 'failed', reason: error.message };
  throw error;
}

/** Depends on the record alone, because an idempotency key stands for one exact request. */
function toRegistrationInput(markId: string, path: BytePath, record: JournalRecord): RegistrationInput {
  const { fingerprint, identity, previousFingerprint } = record;
  const filename = toText(baseName(path)).replaceAll(/\p{Cc}/gu, '\uFFFD');
  const mediaType = guessMediaType(filename);
  const lastModified = Number(identity.mtimeNs / 1_000_000n);
  return {
    markId,
    fingerprint,
    filename,
    size: identity.size,
    ...(mediaType !== undefined && { mediaType }),
    // The service accepts no time before 1970.
    ...(lastModified >= 0 && { lastModified }),
    ...(previousFingerprint !== undefined && { previousFingerprint }),
  };
}
