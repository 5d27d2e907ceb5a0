// `provenance-server audit`: opens what the settings name, runs the audit, and turns its result into an exit code.

import type { AuditParts } from '../audit/divergence.js';
import { runAudit } from '../audit/index.js';
import { createReporter } from '../audit/reporter.js';
import { createFileInspector } from '../c2pa/reading/fileInspector.js';
import { type Config, loadConfig } from '../config/config.js';
import { AuditQueries } from '../database/queries/audit/audit.js';
import { SoundHashQueries } from '../database/queries/lookups/soundHashes.js';
import { type Command, type CommandParts, describeError, flag, parseArguments } from './command.js';
import { openServiceData, requireServiceData } from './serviceData.js';

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

async function openAuditParts(config: Config, parts: CommandParts): Promise<AuditParts> {
  const { database, files, chain, reader, signing, clock } = await openServiceData(config, parts);
  return {
    records: new AuditQueries(database),
    soundHashes: new SoundHashQueries(database),
    files,
    inspector: createFileInspector(signing, reader),
    chain,
    mirror: chain.mirror,
    clock,
  };
}
