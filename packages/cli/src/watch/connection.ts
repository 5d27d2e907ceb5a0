// The connection of the folder watcher to the registry, shared by all folders: while it does not respond or the login is
// not valid, no folder sends anything. Waits grow while the registry does not respond; without a valid login it gets no
// request until the settings change.

import type { RegistryClient } from '@provenance-registry/client';
import type { Mark } from '@provenance-registry/core';
import { connectLoggedIn } from '../connect.js';
import type { Context } from '../context.js';
import type { StopReason } from '../register/stopController.js';
import { toCommandError } from '../toCommandError.js';
import type { Pause } from './state.js';

/** Doubled after each failure, up to the longest. */
const FIRST_RETRY_MS = 5000;
const MAX_RETRY_MS = 5 * 60_000;

export interface OpenConnection {
  /** Sends every request once. */
  readonly client: RegistryClient;
  readonly marks: readonly Mark[];
}

export type Connection = ReturnType<typeof createConnection>;

export function createConnection(context: Context, log: (message: string) => void, onResume: () => void) {
  let pause: Pause | undefined;
  let failures = 0;
  let opening: Promise<OpenConnection | undefined> | undefined;

  async function request(): Promise<OpenConnection | undefined> {
    try {
      const client = await connectLoggedIn(context, { maxAttempts: 1 });
      const marks = await client.listMarks();
      resume();
      return { client, marks };
    } catch (error) {
      report(await toCommandError(error));
      return undefined;
    }
  }

  function resume(): void {
    failures = 0;
    if (!pause) return;
    pause = undefined;
    log('Connected again.');
    onResume();
  }

  /** Logs each change of the state once. */
  function report({ code, message }: Pick<StopReason, 'code' | 'message'>): void {
    const isLogin = code === 'UNAUTHORIZED';
    const fullRetryMs = Math.min(FIRST_RETRY_MS * 2 ** failures, MAX_RETRY_MS);
    // Reduced by up to half, so that the watchers of many users do not return at once.
    const retryMs = (fullRetryMs * (1 + Math.random())) / 2;
    failures += 1;
    const since = pause?.code === (isLogin ? 'login' : 'network') ? pause.since : new Date().toISOString();
    if (pause?.since !== since)
      log(isLogin ? message : `${describePause(code)}: ${message} Files wait until it is back.`);
    pause = {
      code: isLogin ? 'login' : 'network',
      message,
      since,
      retryAt: isLogin ? null : new Date(Date.now() + retryMs).toISOString(),
    };
  }

  return {
    /** Undefined while the registry should not or cannot get requests. Simultaneous calls share one request. */
    async open(): Promise<OpenConnection | undefined> {
      if (pause && (pause.retryAt === null || Date.parse(pause.retryAt) > Date.now())) return undefined;
      opening ??= request().finally(() => {
        opening = undefined;
      });
      return opening;
    },
    report,
    pause: (): Pause | undefined => pause,
    /** Tries again at the next occasion: the settings have changed, or time has jumped. */
    retrySoon({ hasNewSettings }: { readonly hasNewSettings: boolean }): void {
      failures = 0;
      if (pause && (hasNewSettings || pause.code === 'network'))
        pause = { ...pause, retryAt: new Date().toISOString() };
    },
  };
}

/** A registry that responds may be another one than the one that is known. */
function describePause(code: string): string {
  return code === 'REGISTRY_CHANGED' ? 'Another registry' : 'No connection';
}
