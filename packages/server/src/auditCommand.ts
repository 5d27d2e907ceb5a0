// `provenance-server audit`: the parts that the audit walks, as the settings name them, and how it ends.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runAudit } from './audit/index.js';
import { createReporter } from './audit/reporting.js';
import {
  asBadSetting,
  chainSource,
  connect,
  prepareSigningFor,
  reasonOf,
  refuseBadSettings,
  say,
} from './bootstrap.js';
import { createInspector } from './c2pa/inspection.js';
import { createManifestReader } from './c2pa/reader.js';
import { openChainReader } from './chain/chainService.js';
import { type Config, ConfigError, loadConfig } from './config.js';
import type { Database } from './database/connection.js';
import { joinEmbeddedDatabase } from './database/embedded/index.js';
import { isMigrated } from './database/migrate.js';
import { auditRecords } from './database/queries/audit.js';
import { registrationQueue } from './database/queries/registrationQueue.js';
import { joinDiskStore } from './files/disk.js';
import { openS3Store } from './files/s3.js';

/** Counting all that an owner has reads a whole index. */
const STATEMENT_MS = 600_000;

const EXIT_DIVERGENCES = 1;
const EXIT_NOT_AUDITED = 3;

const auditHelp = `provenance-server audit [--repair] [--json]

Walks database, published files and chain against each other and prints every divergence, a line each. It takes the
settings of the service, and may run beside it.

  --repair  repairs what can be repaired without inventing anything
  --json    prints each divergence as JSON, and a summary at the end

Exit codes: 0 no divergence, or all are repaired; 1 divergences remain; 2 settings or arguments that cannot be used;
3 the audit could not be carried out.
`;

/** Walks what the service has written, beside it or while it is stopped; answers with the exit code. */
export async function audit(args: readonly string[]): Promise<number> {
  const { help, repair, json } = auditArguments(args);
  if (help) {
    process.stdout.write(auditHelp);
    return 0;
  }
  const config = loadConfig(process.env);
  requireTraces(config);
  const clock = () => new Date();
  const stopped = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.once(signal, () => stopped.abort(new Error('The audit was stopped before its end.')));
  }
  const { signing, trustAnchorsPem } = await prepareSigningFor(config, clock);
  const endings: (() => Promise<void>)[] = [];
  try {
    const reader = await createManifestReader(trustAnchorsPem);
    endings.unshift(() => reader.close());
    const { database, stopDatabase } = await connect(config, {
      embed: joinEmbeddedDatabase,
      onLost: failAudit,
      prepare: requireMigrated,
      statementMs: STATEMENT_MS,
    });
    endings.unshift(stopDatabase);
    const source = await chainSource(config, (error) => say(`development chain: ${String(error)}`));
    const chain = await openChainReader({ source, queue: registrationQueue(database) }).catch(asBadSetting);
    endings.unshift(() => chain.close());
    const reporter = createReporter({ json, repair, output: process.stdout, say, clock });
    const parts = {
      records: auditRecords(database),
      files: config.storage ? openS3Store(config.storage, process.env) : joinDiskStore(join(config.dataDir, 'public')),
      inspector: createInspector(signing, reader),
      chain,
      clock,
    };
    const summary = await runAudit(parts, {
      repair,
      stopped: stopped.signal,
      onDivergence: reporter.divergence,
      onProgress: reporter.progress,
    });
    await reporter.end(summary);
    return summary.remaining === 0 ? 0 : EXIT_DIVERGENCES;
  } finally {
    for (const end of endings) await end();
  }
}

function auditArguments(args: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const;
  try {
    return parseArgs({ args: [...args], options: { help: flag, repair: flag, json: flag } }).values;
  } catch (error) {
    throw new ConfigError([error instanceof Error ? error.message : String(error)]);
  }
}

/** What the service keeps in its folder is there, unless it is the wrong folder: nothing is made anew to be audited. */
function requireTraces({ dataDir, databaseUrl, storage, rpcUrl, signing, timestampUrls }: Config): void {
  const traces: [boolean, string][] = [
    [databaseUrl === undefined, 'postgresql'],
    [storage === undefined, 'public'],
    [rpcUrl === undefined, 'chain-admin-key'],
    [signing === undefined || timestampUrls.length === 0, 'keys'],
  ];
  const missing = traces.filter(([needed, name]) => needed && !existsSync(join(dataDir, name)));
  if (missing.length === 0) return;
  throw new ConfigError(missing.map(([, name]) => `DATA_DIR: there is no ${name} in ${dataDir}`));
}

async function requireMigrated(database: Database): Promise<void> {
  if (await isMigrated(database)) return;
  throw new Error('The database is not as this release has it: start the service once.');
}

/** Standard output is for what was found. */
export function failAudit(error: unknown): never {
  refuseBadSettings(error);
  say(`The audit could not be carried out: ${reasonOf(error)}`);
  process.exit(EXIT_NOT_AUDITED);
}
