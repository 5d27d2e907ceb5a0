// The registration queue of each user who logged in to this tab. Queues outlive the pages that show them, so that work
// continues while the user is on another page.

import type { RegistryClient } from '@provenance-registry/client';
import { computePerceptualHashes, hashBlob } from '@provenance-registry/client/browser';
import { limitConcurrency } from '@provenance-registry/core';
import * as texts from '#texts/artifacts/register';
import { subscribeToEvents } from '../../../eventStream.js';
import { getToken, subscribeToSession } from '../../../session.js';
import { describeCopyError, requestSignedCopy } from '../../../signedCopyRequest.js';
import { createCopyStorage, openCopyDatabase } from './copyStorage.js';
import { hasUnsavedWork, Queue } from './queue.js';
import type { RowCodes } from './queueRow.js';
import { createQueueStorage } from './queueStorage.js';
import { createRowSender } from './rowSender.js';
import { StatusFollower } from './statusFollower.js';

/** Pause until an unreachable service is tried again; shorter when the browser comes back online. */
const NETWORK_RETRY_MS = 10_000;

export type UserQueue = ReturnType<typeof createUserQueue>;

const userQueues = new Map<string, UserQueue>();
const tabId = createKey();

/** Creates the queue on the first call: call it outside of rendering. */
export function getUserQueue(userId: string, client: RegistryClient): UserQueue {
  const userQueue = userQueues.get(userId) ?? createUserQueue(userId, client);
  userQueues.set(userId, userQueue);
  return userQueue;
}

function createUserQueue(userId: string, client: RegistryClient) {
  let token: string | undefined;
  const sendRow = createRowSender(client);
  // One after the other, as the service signs them.
  const limitCopies = limitConcurrency(1, Number.POSITIVE_INFINITY, () => new Error('never full'));
  const queue: Queue = new Queue({
    hash: hashBlob,
    send: async (row, file) => {
      const sentToken = token;
      const result = await sendRow(row, file);
      const stopReason = 'stopReason' in result ? result.stopReason : undefined;
      if (stopReason === 'network') schedule(NETWORK_RETRY_MS, () => queue.resumeAfter('network'));
      // The user has logged in again since the request was sent: the rejection is about the old token.
      return stopReason === 'login' && sentToken !== token ? { state: 'waiting' } : result;
    },
    createCopy: async ({ fingerprint }, file) => {
      try {
        return { copy: await limitCopies(() => requestSignedCopy(client, fingerprint, file)) };
      } catch (error) {
        return { problem: describeCopyError(error) };
      }
    },
    copies: createCopyStorage(openCopyDatabase),
    computeCodes: computePerceptualHashes,
    findSimilar: (codes) => findSimilar(client, codes),
    describeHashError,
    createKey,
    scheduleUpdate: (update) => requestAnimationFrame(update),
    onChange: () => {
      storage.saveSoon();
      follower.update();
    },
  });
  const follower = new StatusFollower({ client, queue, subscribe: subscribeToEvents, schedule });
  const storage = createQueueStorage({
    userId,
    tabId,
    storage: findUsableStorage(),
    locks: navigator.locks,
    queue,
    schedule,
  });
  storage.open();
  // Loads the hash worker now, so that hashing works offline.
  hashBlob(new Blob()).catch(() => {});

  // Another tab may log out or log in as another user: nothing is sent without this user's session.
  subscribeToSession(() => {
    if (getToken() !== token) queue.suspend('login');
  });
  window.addEventListener('online', () => queue.resumeAfter('network'));
  window.addEventListener('pagehide', () => storage.save());
  window.addEventListener('beforeunload', (event) => {
    if (hasUnsavedWork(queue.rows())) event.preventDefault();
  });

  return {
    queue,
    /** Whether the queue survives a reload. */
    isPersistent: storage.isPersistent,
    /** Sets the token of the user's current session, and continues what waited for a log-in. */
    connect(newToken: string): void {
      token = newToken;
      queue.resumeAfter('login');
      follower.resume();
    },
  };
}

async function findSimilar(client: RegistryClient, codes: RowCodes) {
  const { lookalikes } = await client.findLookalikes(
    'chromaprint' in codes ? codes : { codes: [{ pHash: codes.pHash, dHash: codes.dHash }] },
  );
  return lookalikes.flatMap(({ grade, fingerprint, mark, registeredAt }) =>
    grade === 'near-identical' && mark ? { fingerprint, markId: mark.id, markName: mark.name, registeredAt } : [],
  );
}

function describeHashError(error: unknown): string {
  // Browsers throw a DOMException when a file was changed or removed, or may not be read.
  if (error instanceof DOMException) return texts.unreadable;
  return texts.hashingFailed;
}

function schedule(delayMs: number, work: () => void): void {
  setTimeout(work, delayMs);
}

/** Plain HTTP pages have no crypto.randomUUID. */
function createKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Undefined where the browser blocks storage, or provides storage that cannot be written. */
function findUsableStorage(): Storage | undefined {
  const probeKey = `provenance-probe-${tabId}`;
  try {
    localStorage.setItem(probeKey, '');
    localStorage.removeItem(probeKey);
    return localStorage;
  } catch {
    return undefined;
  }
}
