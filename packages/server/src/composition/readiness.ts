// What a process needs to be ready, by role.

import { readFile } from 'node:fs/promises';
import type { Config } from '../config/config.js';
import type { DatabaseClock } from '../database/clock.js';
import { type Database, pingDatabase } from '../database/connection.js';
import type { ReadReplica } from '../database/readReplica.js';
import type { FileStore } from '../domain/ports/index.js';
import { createReadiness, type Readiness, type ReadinessCheck, ShownReasonError } from '../monitoring/readiness.js';
import { packageFolder } from '../paths.js';
import type { ConfiguredSigning } from './signing.js';

/** Idle workers end, and starting one takes seconds on a busy machine. A check that takes longer has found a stuck one. */
const WORKER_STARTUP_MS = 5_000;
/** Starting c2pa-rs compiles it, which takes ten seconds on a busy machine. */
const C2PA_STARTUP_MS = 15_000;

interface Checked {
  check(): Promise<unknown>;
}

interface CheckedParts {
  readonly database: Database;
  readonly databaseClock: DatabaseClock;
  readonly replica: ReadReplica | undefined;
  readonly files: FileStore;
  readonly signing: ConfiguredSigning;
  readonly chain: Checked;
  readonly mailWorker: Checked | undefined;
  readonly media: Checked;
  readonly reader: Checked;
  readonly manifestInspector: Checked;
  readonly embedder: Checked;
}

export function checkReadiness({ role }: Config, parts: CheckedParts): Readiness {
  const { database, databaseClock, replica, files, signing, chain, mailWorker } = parts;
  const { media, reader, manifestInspector, embedder } = parts;
  return createReadiness({
    database: { requiredFor: 'reads', run: () => pingDatabase(database) },
    clock: checkClock(databaseClock),
    ...(replica && { replica: checkReplica(replica) }),
    // Uses a thread of libuv's pool, which native code can block.
    fileReads: { requiredFor: 'reads', run: () => readFile(new URL('package.json', packageFolder)) },
    ...(role !== 'worker' && {
      media: { requiredFor: 'reads', run: () => media.check(), startupMs: WORKER_STARTUP_MS },
      manifests: { requiredFor: 'reads', run: () => reader.check(), startupMs: C2PA_STARTUP_MS },
      recognition: { requiredFor: 'writes', run: () => manifestInspector.check(), startupMs: C2PA_STARTUP_MS },
      embedding: { requiredFor: 'writes', run: () => embedder.check(), startupMs: C2PA_STARTUP_MS },
    }),
    files: { requiredFor: 'writes', run: () => files.check() },
    signer: { requiredFor: 'writes', run: () => signing.signing.signer.sign(Buffer.from('ready?')) },
    chain: { requiredFor: 'nothing', run: () => chain.check() },
    ...(mailWorker && { mail: { requiredFor: 'nothing', run: () => mailWorker.check() } }),
  });
}

function checkClock(clock: DatabaseClock): ReadinessCheck {
  return {
    get requiredFor() {
      return clock.mayWrite() ? 'nothing' : 'writes';
    },
    async run() {
      const skew = clock.describeSkew();
      if (skew !== undefined) throw new ShownReasonError(skew);
    },
  };
}

/** Without it, the database answers all lookups. */
function checkReplica(replica: ReadReplica): ReadinessCheck {
  return {
    requiredFor: 'nothing',
    async run() {
      const problem = replica.describeProblem();
      if (problem !== undefined) throw new ShownReasonError(problem);
    },
  };
}
