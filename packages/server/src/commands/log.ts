// `provenance-server log recover`: brings back what a restored database lacks of the public log.

import { type KeyObject, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { joinDatabase } from '../composition/database.js';
import { logKeyPath, openLogFiles } from '../composition/publicLog.js';
import { ConfigError, loadConfig } from '../config/config.js';
import { LogSequenceQueries } from '../database/queries/log/logSequence.js';
import type { Lease } from '../domain/ports/index.js';
import { createLogSigners, describeSigner, formatKeysLeaf, readLogKeys } from '../publicLog/keys.js';
import { recoverLog } from '../publicLog/recover.js';
import { type Command, type CommandParts, describeError, flag, parseArguments } from './command.js';

const EXIT_NOT_COMPLETED = 3;
/** A page of leaves takes a second. */
const LEASE_MS = 60_000;
/** A sequencer that has stopped gives its lease back within seconds. */
const LEASE_POLL_MS = 1_000;
const MAX_LEASE_POLLS = 30;
/** Inserts thousands of leaves. */
const STATEMENT_MS = 120_000;
/** Often enough to show that the recovery is alive. */
const PROGRESS_INTERVAL_MS = 10_000;

const help = `provenance-server log recover [--new-key] [--dry-run]

Brings back the leaves of the public log that are published and that the database does not have, because it was restored from an
older backup; the sequencer has stopped until then. It also replaces files that were written for a tree that the database lost before
it was signed. It takes the settings of the service, may run while the service runs, and may be run again.

  --new-key  goes on with the first key of LOG_KEY_FILE although the log does not know it: its key is lost. Clients that have
             pinned the earlier key have to be told
  --dry-run  changes nothing, and says what it would do

Exit codes: 0 done, or nothing to do; 2 bad settings or arguments; 3 not completed.
`;

export const logCommand: Command = {
  help,
  run,
  describeFailure: (error) => `The log could not be recovered: ${describeError(error)}`,
  exitCodeOfFailure: EXIT_NOT_COMPLETED,
};

async function run(args: readonly string[], { environment, notify, closers, fail }: CommandParts): Promise<number> {
  const { values, positionals } = parseArguments({
    args: [...args],
    options: { 'new-key': flag, 'dry-run': flag },
    allowPositionals: true,
  });
  if (positionals.join() !== 'recover')
    throw new ConfigError(['log: the only subcommand is "recover"; see log --help']);
  const { 'new-key': isNewKey = false, 'dry-run': isDryRun = false } = values;
  const config = loadConfig(environment);
  const pem = await readFile(logKeyPath(config), 'utf8').catch((error: Error) => {
    throw new ConfigError([`LOG_KEY_FILE: ${error.message}`]);
  });
  const keys = readLogKeys(pem);
  const database = await joinDatabase(config, closers, { onLost: fail, notify, statementMs: STATEMENT_MS });
  const records = new LogSequenceQueries(database);
  const files = await openLogFiles(config);
  const lease = { name: 'public-log', holder: randomUUID(), ms: LEASE_MS };
  if (!isDryRun) await takeLease(records, lease);
  closers.push(() => records.releaseLease(lease));
  const readSigners = async (origin: string) => createLogSigners(origin, keys);
  const onProgress = createProgress(records, lease, isDryRun, notify);
  const { recovered, replaced, size } = await recoverLog({ records, files, lease, readSigners, isDryRun, onProgress });
  const would = isDryRun ? 'would be ' : '';
  notify(
    `The log has ${size} leaves: ${recovered} ${would}recovered, ${replaced.length} unsigned files ${would}replaced.`,
  );
  if (isNewKey) notify(await acceptKey(records, keys, isDryRun));
  return 0;
}

/** Returns what it did. */
async function acceptKey(records: LogSequenceQueries, keys: readonly KeyObject[], isDryRun: boolean): Promise<string> {
  const { origin } = await records.readHead();
  const known = (await records.listKeys()).at(-1);
  if (origin === null || !known) return 'The log has not begun: it takes any key.';
  const [current] = createLogSigners(origin, keys);
  if (!current) throw new Error('LOG_KEY_FILE has no key');
  const vkey = describeSigner(current);
  if (known.vkey === vkey) return `The log knows the key ${vkey} already.`;
  if (!isDryRun)
    await records.acceptKeys(
      { vkey, signers: known.signers },
      formatKeysLeaf({ vkey, signers: known.signers }, new Date()),
    );
  return `The log goes on with the key ${vkey}. Tell clients.`;
}

async function takeLease(records: LogSequenceQueries, lease: Lease): Promise<void> {
  for (let polls = 0; !(await records.acquireLease(lease)); polls += 1) {
    if (polls === MAX_LEASE_POLLS) throw new Error('a service is sequencing the log: there is nothing to recover');
    await delay(LEASE_POLL_MS);
  }
}

function createProgress(
  records: LogSequenceQueries,
  lease: Lease,
  isDryRun: boolean,
  notify: (message: string) => void,
) {
  let nextAt = Date.now() + PROGRESS_INTERVAL_MS;
  return async (size: number) => {
    if (Date.now() < nextAt) return;
    nextAt = Date.now() + PROGRESS_INTERVAL_MS;
    if (!isDryRun) await records.acquireLease(lease);
    notify(`So far up to leaf ${size}.`);
  };
}
