// Uploads in progress: limits their number, in total and for each client, and ends those that hardly proceed. When the total
// is reached, the client with the most uploads makes room for the others.

import { RegistryError } from '@provenance-registry/core';
import type { HttpLimits } from '../budgets/limits.js';
import { MemoryBudget, type MemoryReservation } from '../budgets/memoryBudget.js';

export interface Upload {
  /** Adds a listener that is called with the reason when the upload is ended from here. */
  onEnd(listener: (reason: RegistryError) => void): void;
  /** Memory of the bytes that are buffered of it. */
  hold(giveUp: () => void): MemoryReservation;
  /** Must be called when it was received, or failed. */
  finish(): void;
}

/** A socket's count of received bytes. */
type Progress = Readonly<{ bytesRead: number }>;

interface UploadState {
  readonly progress: Progress;
  bytesAtLastCheck: number;
  readonly end: (reason: RegistryError) => void;
}

/** `isPublic`: of an operation without credentials. */
export type UploadsInProgress = (client: string, progress: Progress, options?: { isPublic?: boolean }) => Upload;

export function trackUploads(limits: HttpLimits, memory: MemoryBudget): UploadsInProgress {
  const clients = new Map<string, Set<UploadState>>();
  const publicMemory = new MemoryBudget(limits.publicMemoryBytes);
  let total = 0;

  function makeRoom(own: ReadonlySet<UploadState>): void {
    if (own.size >= limits.uploadsPerClient) throw tooManyError();
    if (total < limits.uploads) return;
    const most = [...clients.values()].reduce((busiest, other) => (other.size > busiest.size ? other : busiest));
    if (most.size <= own.size + 1) throw tooManyError();
    const [slowest] = [...most].sort((a, b) => recentBytes(a) - recentBytes(b));
    slowest?.end(tooManyError());
  }

  return (client, progress, { isPublic = false } = {}) => {
    const own = clients.get(client) ?? new Set<UploadState>();
    makeRoom(own);
    clients.set(client, own);
    const listeners: ((reason: RegistryError) => void)[] = [];
    const state: UploadState = {
      progress,
      bytesAtLastCheck: progress.bytesRead,
      end(reason) {
        finish();
        for (const listener of listeners) listener(reason);
      },
    };
    own.add(state);
    total += 1;

    const timer = setInterval(() => {
      if (recentBytes(state) < limits.uploadBytesPerCheck) state.end(tooSlowError(limits));
      state.bytesAtLastCheck = progress.bytesRead;
    }, limits.uploadCheckMs);
    const finish = () => {
      clearInterval(timer);
      if (!own.delete(state)) return;
      total -= 1;
      if (own.size === 0) clients.delete(client);
    };
    return {
      onEnd: (listener) => void listeners.push(listener),
      hold(giveUp) {
        const holding = memory.hold(client, giveUp);
        return isPublic ? holdBoth(publicMemory.hold(client, giveUp), holding) : holding;
      },
      finish,
    };
  };
}

/** When one has no room, the caller releases both. */
function holdBoth(one: MemoryReservation, other: MemoryReservation): MemoryReservation {
  return {
    add: (bytes) => one.add(bytes) && other.add(bytes),
    keep() {
      one.keep();
      other.keep();
    },
    release() {
      one.release();
      other.release();
    },
  };
}

function recentBytes({ progress, bytesAtLastCheck }: UploadState): number {
  return progress.bytesRead - bytesAtLastCheck;
}

function tooManyError(): RegistryError {
  return new RegistryError('UNAVAILABLE', 'Too many uploads are in progress. Try again in a moment.');
}

function tooSlowError({ uploadBytesPerCheck, uploadCheckMs }: HttpLimits): RegistryError {
  const rate = Math.round(uploadBytesPerCheck / (uploadCheckMs / 1000));
  return new RegistryError('REQUEST_TIMEOUT', `The upload is slower than ${rate} bytes per second.`);
}
