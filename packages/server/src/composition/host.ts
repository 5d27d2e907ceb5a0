// The process that the service runs in.

import type { FastifyBaseLogger } from 'fastify';
import type { ProcessClock } from '../database/clock.js';
import type { StopSignals } from '../jobs/closers.js';

/** The process that the service runs in. */
export interface Host {
  readonly logger: FastifyBaseLogger;
  /** Shows the operator a message. */
  readonly notify: (message: string) => void;
  /** The embedded database is lost for good: the service cannot go on. */
  readonly onDatabaseLost: (reason: unknown) => void;
  readonly stop?: StopSignals;
  /** The system's by default. */
  readonly clock?: ProcessClock;
}
