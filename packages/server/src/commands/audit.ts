// `provenance-server audit`: opens what the settings name, runs the audit, and turns its result into an exit code.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditParts } from '../audit/divergence.js';
import { runAudit } from '../audit/index.js';
import { createReporter } from '../audit/reporter.js';
import { createFileInspector } from '../c2pa/reading/fileInspector.js';
import { createManifestReader } from '../c2pa/reading/manifestReader.js';
import { openChainReader } from '../chain/chainReader.js';
import { chainSource, rethrowChainError } from '../composition/chain.js';
import { joinDatabase } from '../composition/database.js';
import { prepareConfiguredSigning } from '../composition/signing.js';
import { type Config, ConfigError, loadConfig } from '../config/config.js';
import { ChainOutboxQueries } from '../database/queries/artifacts/chainOutbox.js';
import { AuditQueries } from '../database/queries/audit/audit.js';
import { MirrorRowQueries } from '../database/queries/lookups/mirrorRows.js';
import { SoundHashQueries } from '../database/queries/lookups/soundHashes.js';
import { joinDiskStore } from '../files/disk.js';
import { openS3Store } from '../files/s3.js';
import { type Command, type CommandParts, describeError, flag, parseArguments } from './command.js';

/** Counting all rows of an owner reads a whole index. */
const STATEMENT_MS = 600_000;

const EXIT_DIVERGENCES = 1;
const EXIT_NOT_AUDITED = 3;

const help = `provenance-server audit [--repair] [--json]

Compares database, published files and chain, and prints every divergence on a line of its own. It takes the settings
of the service, and may run while the service runs.

  --repair  repairs what can be repaired from the data that remains
  --json    prints each divergence as JSON, and a summary at the end

Exit codes: 0 no divergence, or all repaired; 1 divergences remain; 2 bad settings or arguments; 3 the audit could not be
completed.
`;

/** May run while the service runs or is stopped. Standard output is for divergences only. */
export const auditCommand: Command = {
  help,
  run: audit,
  describeFailure: (error) => `The audit could not be completed: ${describeError(error)}`,
  exitCodeOfFailure: EXIT_NOT_AUDITED,
};

async function audit(args: readonly string[], parts: CommandParts): Promise<number> {
  const { repair, json } = parseArguments({ args: [...args], options: { repair: flag, json: flag } }).values;
  const { environment, output, notify, listenForStop } = parts;
  const config = loadConfig(environment);
  requireServiceData(config);
  const stop = listenForStop();
  const audited = await openAuditParts(config, parts);
  const reporter = createReporter({ json, repair, output, notify, clock: audited.clock });
  const summary = await runAudit(audited, {
    repair,
    signal: stop,
    onDivergence: reporter.divergence,
    onProgress: reporter.progress,
  });
  await reporter.end(summary);
  return summary.remaining === 0 ? 0 : EXIT_DIVERGENCES;
}

async function openAuditParts(config: Config, { closers, notify, fail }: CommandParts): Promise<AuditParts> {
  const clock = () => new Date();
  const { signing, trustAnchorsPem, issuer } = await prepareConfiguredSigning(config, clock);
  const reader = await createManifestReader(trustAnchorsPem, { issuer });
  closers.push(() => reader.close());
  const database = await joinDatabase(config, closers, { onLost: fail, notify, statementMs: STATEMENT_MS });
  const source = await chainSource(config, (error) => notify(`development chain: ${String(error)}`));
  const chain = await openChainReader(
    { source, queue: new ChainOutboxQueries(database) },
    new MirrorRowQueries(database),
  ).catch(rethrowChainError);
  closers.push(() => chain.close());
  return {
    records: new AuditQueries(database),
    soundHashes: new SoundHashQueries(database),
    files: config.storage
      ? openS3Store(config.storage, config.storage.environment)
      : joinDiskStore(join(config.dataDir, 'public')),
    inspector: createFileInspector(signing, reader),
    chain,
    mirror: chain.mirror,
    clock,
  };
}

/** A data folder without the service's files is the wrong folder: an audit must not create them. */
function requireServiceData({ dataDir, databaseUrl, storage, rpcUrl, signing, timestampUrls }: Config): void {
  const expected: [boolean, string][] = [
    [databaseUrl === undefined, 'postgresql'],
    [storage === undefined, 'public'],
    [rpcUrl === undefined, 'chain-admin-key'],
    [signing === undefined || timestampUrls.length === 0, 'keys'],
  ];
  const missing = expected.filter(([needed, name]) => needed && !existsSync(join(dataDir, name)));
  if (missing.length === 0) return;
  throw new ConfigError(missing.map(([, name]) => `DATA_DIR: ${dataDir} has no ${name}`));
}
