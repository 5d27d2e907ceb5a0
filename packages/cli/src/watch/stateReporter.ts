// Writes the state of the service when something has changed, and from time to time.

import type { Environment } from '../processIo.js';
import { toCommandError } from '../toCommandError.js';
import { HEARTBEAT_MS, type ServiceState, writeServiceState } from './state.js';

export class StateReporter {
  #written = { content: '', atMs: Number.NEGATIVE_INFINITY };

  constructor(
    private readonly env: Environment,
    private readonly profile: string,
    private readonly log: (message: string) => void,
  ) {}

  /** Writes nothing if the state is the same as shortly before. */
  async report(state: ServiceState): Promise<void> {
    const content = JSON.stringify({ ...state, reportedAt: '' });
    const earlier = this.#written;
    if (content === earlier.content && performance.now() - earlier.atMs < HEARTBEAT_MS) return;
    try {
      await writeServiceState(this.env, this.profile, state);
    } catch (error) {
      // Registrations go on; the next heartbeat tries again.
      if (earlier.atMs >= 0) this.log(`The state was not saved: ${(await toCommandError(error)).message}`);
    }
    this.#written = { content, atMs: performance.now() };
  }
}
