// `provenance-server migrate`: migrates the database apart from the start of the service, or says what that would do.

import { setTimeout as delay } from 'node:timers/promises';
import { connectDatabase, type DatabaseConnection } from '../composition/database.js';
import { loadConfig } from '../config/config.js';
import { joinEmbeddedDatabase } from '../database/embedded/index.js';
import { isMigrated, listPendingMigrations, migrateToLatest } from '../database/migrate.js';
import { describePlan } from '../database/migrations/plan.js';
import { describeProgress, readMigrationProgress } from '../database/migrations/progress.js';
import { type Command, type CommandParts, describeError, flag, parseArguments } from './command.js';

const EXIT_FAILED = 3;
const PROGRESS_INTERVAL_MS = 2_000;

const help = `provenance-server migrate [--plan]

Brings the schema of the database up to date. Processes of the release before may go on meanwhile; the service does the
same when it starts. It takes the settings of the service. When it is stopped, the next run goes on from there; when another
process migrates, it waits for that.

  --plan  changes nothing, and prints for each step what it locks, for how long roughly, and how much it writes. The size of
          tables is what PostgreSQL estimates: run ANALYZE before if it seems wrong.

Exit codes: 0 the schema is current, or the plan is printed; 2 bad settings or arguments; 3 failed.
`;

export const migrateCommand: Command = {
  help,
  run: migrate,
  describeFailure: (error) => `The database could not be migrated: ${describeError(error)}`,
  exitCodeOfFailure: EXIT_FAILED,
};

async function migrate(args: readonly string[], parts: CommandParts): Promise<number> {
  const { plan } = parseArguments({ args: [...args], options: { plan: flag } }).values;
  const { environment, output, notify, closers, fail, listenForStop } = parts;
  const config = loadConfig(environment);
  const stop = plan ? undefined : listenForStop();
  const connection = await connectDatabase(config, closers, {
    openEmbedded: joinEmbeddedDatabase,
    onLost: fail,
    notify,
    prepare: async () => {},
  });
  if (await isMigrated(connection.database)) output.write('The schema is current: nothing to do.\n');
  else if (plan) await printPlan(connection, parts);
  else await migrateWithProgress(connection, parts, stop);
  return 0;
}

async function printPlan({ database }: DatabaseConnection, { output }: CommandParts): Promise<void> {
  const lines = await describePlan(database, await listPendingMigrations(database));
  output.write(`${lines.join('\n')}\n`);
}

async function migrateWithProgress(
  { database, address }: DatabaseConnection,
  { output, notify }: CommandParts,
  stop: AbortSignal | undefined,
): Promise<void> {
  const ended = new AbortController();
  const printing = printProgress();
  try {
    await migrateToLatest(address, { stop });
  } finally {
    ended.abort();
    await printing;
  }
  output.write('The schema is current.\n');

  async function printProgress(): Promise<void> {
    let printed = '';
    while (!ended.signal.aborted) {
      const progress = await readMigrationProgress(database).catch(() => undefined);
      const text = progress ? describeProgress(progress) : '';
      if (text !== '' && text !== printed) notify(text);
      printed = text;
      await delay(PROGRESS_INTERVAL_MS, undefined, { signal: ended.signal }).catch(() => {});
    }
  }
}
