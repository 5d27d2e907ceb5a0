// The budget of hashing passwords, the most expensive work that a client without an account can ask for. Turns go to client
// addresses, and within an address to accounts, so that a flood of log-ins delays others by little more than its own share.

import { FairLimit } from '../../workers/fairLimit.js';

export interface PasswordBudgetOptions {
  readonly maxRunning: number;
  readonly maxWaiting: number;
  readonly maxWaitingPerAccount: number;
}

export const passwordBudget: PasswordBudgetOptions = {
  /** Leaves the others of Node's background threads to files and DNS while many users log in. */
  maxRunning: 2,
  /**
   * Of all clients, and of each: the fullest queue makes room for the others. Two slow cores hash four passwords a second,
   * so that whatever is accepted has its turn in time.
   */
  maxWaiting: 220,
  /** Requests of one account at one address. */
  maxWaitingPerAccount: 205,
};

/** Timeout of sign-up and log-in: as long as a full queue takes, and less than the minute that proxies usually wait. */
export const PASSWORD_TIMEOUT_MS = 55_000;

/** Some 100 bytes each. */
const MAX_KNOWN_PAIRS = 10_000;

export interface PasswordRequest {
  readonly client: string;
  readonly email: string;
  readonly signal: AbortSignal;
}

/** Runs the work, which succeeds only with the right password, when it is its turn. */
export type PasswordBudget = <T>(request: PasswordRequest, work: () => Promise<T>) => Promise<T>;

export function createPasswordBudget(options: PasswordBudgetOptions = passwordBudget): PasswordBudget {
  const limit = new FairLimit({
    name: 'passwords',
    maxRunning: options.maxRunning,
    maxRunningPerClient: options.maxRunning,
    maxWaiting: options.maxWaiting,
    maxWaitingPerClient: options.maxWaiting,
    maxWaitingPerLane: options.maxWaitingPerAccount,
  });
  /** Accounts with the address at which they were last used, oldest first. */
  const knownPairs = new Set<string>();

  return async ({ client, email, signal }, work) => {
    const pair = `${client} ${email}`;
    // Apart from the rest of their address, so that guesses with ever new accounts do not delay its users.
    const requester = knownPairs.has(pair) ? `${client} known` : client;
    const result = await limit.run({ client: requester, lane: email, signal }, work);
    knownPairs.delete(pair);
    knownPairs.add(pair);
    for (const oldest of knownPairs) {
      if (knownPairs.size <= MAX_KNOWN_PAIRS) break;
      knownPairs.delete(oldest);
    }
    return result;
  };
}
