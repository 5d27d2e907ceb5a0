// `provenance-server mirror`: prints how far the copy of the entries on chain is, or reads all of them again.

import { setTimeout as delay } from 'node:timers/promises';
import { connectToChain } from '../chain/chainReader.js';
import { Mirror } from '../chain/mirror/mirror.js';
import { chainSource, rethrowChainError } from '../composition/chain.js';
import { joinDatabase } from '../composition/database.js';
import { type Config, loadConfig } from '../config/config.js';
import type { Database } from '../database/connection.js';
import { ChainOutboxQueries } from '../database/queries/artifacts/chainOutbox.js';
import { ChainMirrorQueries } from '../database/queries/lookups/chainMirror.js';
import type { MirrorProgress, MirrorStore } from '../domain/ports/index.js';
import { type Command, type CommandParts, describeError, flag, parseArguments } from './command.js';

const EXIT_NOT_FRESH = 1;
const EXIT_FAILED = 3;

/** The interval at which the mirror looks at the chain. */
const POLL_MS = 1_000;
/** Often enough to show that it goes on. */
const PROGRESS_INTERVAL_MS = 10_000;

const help = `provenance-server mirror [--rebuild]

Prints how far the copy of the entries on chain is, from which lookups are answered. It takes the settings of the service,
and may run while the service runs.

  --rebuild  empties the copy and reads all entries again; meanwhile lookups ask the node, as without the copy. A running
             service reads them, otherwise this command does. It ends when the copy is complete.

Exit codes: 0 the copy is fresh; 1 it is not; 2 bad settings or arguments; 3 failed.
`;

export const mirrorCommand: Command = {
  help,
  run: showMirror,
  describeFailure: (error) => `The mirror could not be read: ${describeError(error)}`,
  exitCodeOfFailure: EXIT_FAILED,
};

async function showMirror(args: readonly string[], parts: CommandParts): Promise<number> {
  const options = parseArguments({ args: [...args], options: { rebuild: flag } }).values;
  const { environment, output, notify, closers, fail } = parts;
  const config = loadConfig(environment);
  const database = await joinDatabase(config, closers, { onLost: fail, notify });
  const store = new ChainMirrorQueries(database);
  if (options.rebuild) await rebuild(config, database, store, parts);
  const progress = await store.readProgress();
  output.write(`${describeProgress(progress)}\n`);
  return progress?.isFresh ? 0 : EXIT_NOT_FRESH;
}

/** Its own worker competes for the lease with that of a running service: one of them does the work. */
async function rebuild(
  config: Config,
  database: Database,
  store: MirrorStore,
  { closers, notify }: CommandParts,
): Promise<void> {
  const source = await chainSource(config, (error) => notify(`development chain: ${String(error)}`));
  const chain = await connectToChain({ source, queue: new ChainOutboxQueries(database) }).catch(rethrowChainError);
  closers.push(() => chain.close());
  if (chain.isEmpty) throw new Error('the registry contract is not deployed yet: start the service once.');
  await store.clear();
  const { url, chainId, registry } = chain;
  const isIndexedLate = source.kind === 'node';
  const log = (_level: string, details: object, message: string) => notify(`${message} ${JSON.stringify(details)}`);
  const mirror = new Mirror({ store, url, chainId, registry, isIndexedLate, log });
  closers.push(() => mirror.stop());
  for (let printedAt = performance.now(); ; await delay(POLL_MS)) {
    const progress = await store.readProgress();
    if (progress?.isFresh) return;
    if (performance.now() - printedAt < PROGRESS_INTERVAL_MS) continue;
    printedAt = performance.now();
    notify(describeProgress(progress));
  }
}

function describeProgress(progress: MirrorProgress | undefined): string {
  if (!progress) return 'The mirror is empty.';
  const { mirroredBlock, headBlock, checkedAt, isFresh } = progress;
  const confirmed = checkedAt ? `confirmed at ${checkedAt.toISOString()}` : 'not confirmed';
  return `The mirror is ${isFresh ? 'fresh' : 'not fresh'}: block ${mirroredBlock} of ${headBlock}, ${confirmed}.`;
}
