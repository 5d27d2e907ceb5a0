// The records of the database, with what is kept in memory of them and what watches them.

import type { Config } from '../config/config.js';
import type { Database } from '../database/connection.js';
import { ImageHashQueries } from '../database/queries/lookups/imageHashes.js';
import type { ReadReplica } from '../database/readReplica.js';
import { createStore } from '../database/store.js';
import { createUseBuffers } from '../database/useBuffer.js';
import { watchStatuses } from '../domain/artifacts/statusChanges.js';
import { watchFeed } from '../domain/events/feedChanges.js';
import { createMarkListCache } from '../domain/marks/markListCache.js';
import type { Clock } from '../domain/ports/index.js';
import { startEventOrderer } from '../events/orderer.js';
import type { CloserStack } from '../jobs/closers.js';
import type { WorkNotices } from '../jobs/workNotices.js';
import { ImageHashIndex } from '../lookalikes/imageIndex.js';
import { createSoundIndex } from '../lookalikes/soundIndex.js';
import type { Host } from './host.js';

interface OpenedDatabase {
  readonly database: Database;
  readonly replica: ReadReplica | undefined;
  readonly clock: Clock;
  readonly notices: WorkNotices;
}

export async function openRecords(
  { role }: Config,
  { logger }: Host,
  { database, replica, clock, notices }: OpenedDatabase,
  closers: CloserStack,
) {
  const uses = createUseBuffers(database);
  closers.push(() => uses.flush());
  const store = createStore(database, uses, replica);
  const log = (level: 'info' | 'warn' | 'error', details: object, message: string) => logger[level](details, message);
  const imageIndex = new ImageHashIndex({ source: new ImageHashQueries(database), log, pauseMs: notices.pauseMs });
  closers.push(() => imageIndex.close());
  // A worker process answers no searches.
  if (role !== 'worker') {
    closers.push(notices.subscribe(() => imageIndex.wake()));
    await imageIndex.start();
  }
  if (role !== 'api') {
    const orderer = startEventOrderer({ feed: store.feed, notices, log });
    closers.push(() => orderer.close());
  }
  return {
    store,
    imageIndex,
    soundIndex: createSoundIndex(store.soundHashes),
    markListCache: createMarkListCache(clock, (userId) => store.marks.listWritableBy(userId)),
    statusChanges: watchStatuses(store.artifacts),
    feedChanges: watchFeed(store.feed),
  };
}
