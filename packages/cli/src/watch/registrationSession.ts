// Registers the files of one scan of a watched folder. A session ends early for a reason that concerns all files; the next
// scan starts another one.

import type { WatchedFolder } from '../configSchema.js';
import { createRegistrar, type FileRegistrarOptions } from '../register/fileRegistrar.js';
import { createOutageRetry } from '../register/outageRetry.js';
import { isReady } from '../register/run.js';
import { RunStats } from '../register/stats.js';
import { StopController } from '../register/stopController.js';
import type { OpenConnection } from './connection.js';

/** Several folders may register at the same time. */
const REQUESTS_PER_FOLDER = 4;

export interface SessionOptions
  extends Pick<FileRegistrarOptions, 'journal' | 'computeCodes' | 'findMoved' | 'onResult'> {
  readonly connection: OpenConnection;
  readonly settings: WatchedFolder;
}

export type RegistrationSession = ReturnType<typeof createRegistrationSession>;

export function createRegistrationSession(options: SessionOptions) {
  const { connection, settings, journal, computeCodes, findMoved, onResult } = options;
  const { client, marks } = connection;
  const mark = marks.find(({ id }) => id === settings.mark);
  // Nothing but the fingerprint of a private file leaves the machine.
  const sendsCodes = mark?.visibility === 'public' && settings.sendsCodes;
  const stopController = new StopController();
  const stats = new RunStats(
    () => false,
    () => {},
  );
  const registrar = createRegistrar({
    client,
    concurrency: REQUESTS_PER_FOLDER,
    // An outage ends the session: the watcher waits for the registry, not each folder.
    withOutageRetry: createOutageRetry({
      stopController,
      isReady: (signal) => isReady(client, signal),
      notify: () => {},
      onRetry: () => {},
      maxOutageMs: 0,
    }),
    stopController,
    markId: settings.mark,
    authorshipStated: settings.authorshipStated,
    marks,
    stats,
    journal,
    computeCodes: sendsCodes ? computeCodes : undefined,
    findMoved,
    // A file that changes while it is read waits until it is left alone again.
    hashAttempts: 1,
    onResult,
  });
  return { client, mark, registrar, stopController };
}
