// The lists of this tab, one for each user who was logged in: they outlive the page that shows them, so that work goes on
// while one looks at something else.

import type { RegistryClient } from '@provenance-registry/client';
import { hashBlob } from '@provenance-registry/client/browser';
import { currentToken, onSession } from '../../../session.js';
import { createQueue, losesByLeaving, type Queue } from './queue.js';
import { createKeeper } from './queueStorage.js';
import { sendBy } from './rowSender.js';
import { createWatcher } from './statusPoller.js';

/** A service that was away is asked again after this; sooner, when the browser says that the network is back. */
const NETWORK_PAUSE_MS = 10_000;

export interface Registrations {
  readonly queue: Queue;
  /** Whether a reload finds the list again. */
  isKeeping(): boolean;
  /** The user has logged in, with this token: what stood still for that goes on. */
  connect(token: string): void;
}

const lists = new Map<string, Registrations>();
const tab = newKey();

export function registrationsOf(userId: string, service: RegistryClient): Registrations {
  const list = lists.get(userId) ?? createList(userId, service);
  lists.set(userId, list);
  return list;
}

function createList(userId: string, service: RegistryClient): Registrations {
  let token: string | undefined;
  const send = sendBy(service);
  const queue = createQueue({
    hash: hashBlob,
    send: async (row) => {
      const sentWith = token;
      const outcome = await send(row);
      const halt = 'halt' in outcome ? outcome.halt : undefined;
      if (halt === 'network') later(NETWORK_PAUSE_MS, () => queue.goOnAfter('network'));
      // Answered after the user has logged in again: that was about the token before.
      return halt === 'login' && sentWith !== token ? { state: 'waiting' } : outcome;
    },
    explain: whyNotHashed,
    newKey,
    soon: (work) => requestAnimationFrame(work),
    onChange: () => {
      keeper.saveSoon();
      watcher.look();
    },
  });
  const watcher = createWatcher({ service, queue, sleep: (ms) => new Promise((resolve) => later(ms, resolve)) });
  const storage = usableStorage();
  const keeper = createKeeper({ userId, tab, storage, locks: navigator.locks, queue, later });
  keeper.open();
  // What hashing needs is here then, should the network go away.
  hashBlob(new Blob()).catch(() => {});

  // Another tab may log out, or log in as somebody else: nothing is sent in a name that is not there any more.
  onSession(() => {
    if (currentToken() !== token) queue.stopFor('login');
  });
  window.addEventListener('online', () => queue.goOnAfter('network'));
  window.addEventListener('pagehide', () => keeper.save());
  window.addEventListener('beforeunload', (event) => {
    if (losesByLeaving(queue.rows())) event.preventDefault();
  });

  return {
    queue,
    isKeeping: keeper.isKeeping,
    connect(newToken) {
      token = newToken;
      queue.goOnAfter('login');
      watcher.look();
    },
  };
}

function whyNotHashed(error: unknown): string {
  // What browsers say of files that have changed, are gone or may not be read.
  if (error instanceof DOMException) return 'The file has changed or cannot be read any more. Choose it again.';
  return 'The page could not begin to hash it. Check your connection, then try again.';
}

function later(ms: number, work: () => void): void {
  setTimeout(work, ms);
}

/** Not crypto.randomUUID, which pages that came over plain HTTP do not have. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Browsers can forbid storage altogether, or let it be there and take nothing. */
function usableStorage(): Storage | undefined {
  const probe = `provenance-probe-${tab}`;
  try {
    localStorage.setItem(probe, '');
    localStorage.removeItem(probe);
    return localStorage;
  } catch {
    return undefined;
  }
}
