// `provenance-server recover`: brings back what a restored database lacks, and turns the result into an exit code.

import { once } from 'node:events';
import { createRecordedManifests } from '../c2pa/reading/recordedManifest.js';
import { registrantOf, registrantTopicOf } from '../chain/registrants.js';
import { readSecret } from '../composition/secrets.js';
import { loadConfig } from '../config/config.js';
import { RecoveryQueries } from '../database/queries/audit/recovery.js';
import type { RecoveryFinding, RecoveryOutcome, RecoveryParts, RecoverySummary } from '../recovery/findings.js';
import { runRecovery } from '../recovery/index.js';
import { type Command, type CommandParts, describeError, flag, parseArguments } from './command.js';
import { openServiceData, requireServiceData } from './serviceData.js';

const EXIT_LOST = 1;
const EXIT_NOT_COMPLETED = 3;
/** Often enough to show that the recovery is alive. */
const PROGRESS_INTERVAL_MS = 10_000;

const help = `provenance-server recover [--dry-run] [--json]

Brings back what chain, published files and downloads have and the database does not, because it was restored from an older
backup: Artifacts with their Marks and signed copies. It prints every finding on a line of its own, takes the settings of the
service, may run while the service runs, and may be run again. Audit afterwards.

  --dry-run  changes nothing, and lists what is missing
  --json     prints each finding as JSON, and a summary at the end

Exit codes: 0 nothing is missing, or all of it was recovered; 1 something is still missing; 2 bad settings or arguments; 3 not
completed.
`;

export const recoverCommand: Command = {
  help,
  run: recover,
  describeFailure: (error) => `The recovery could not be completed: ${describeError(error)}`,
  exitCodeOfFailure: EXIT_NOT_COMPLETED,
};

const explanations: Readonly<Record<RecoveryOutcome, string>> = {
  recovered: 'recovered',
  recoverable: 'can be recovered',
  'mark-lost': 'the database does not have its Mark',
  'creator-lost': 'the database does not have the user who registered it',
  'manifest-lost': 'its manifest is not published, or not valid',
  'original-lost': 'its Artifact could not be recovered',
  'in-use': 'its fingerprint has a new Artifact, which the chain will refuse: run this again after that',
  'only-in-download': 'only a snapshot of the downloads has it',
};

async function recover(args: readonly string[], parts: CommandParts): Promise<number> {
  const options = { 'dry-run': flag, json: flag };
  const { 'dry-run': isDryRun, json } = parseArguments({ args: [...args], options }).values;
  const { environment, output, notify, listenForStop } = parts;
  const config = loadConfig(environment);
  requireServiceData(config);
  const signal = listenForStop();
  const { database, files, chain, reader, clock } = await openServiceData(config, parts);
  const pseudonyms = await readSecret(config, 'pseudonyms');
  const recovered: RecoveryParts = {
    records: new RecoveryQueries(database),
    chain,
    files,
    manifests: createRecordedManifests(reader),
    registrants: { topicOf: (userId, markId) => registrantTopicOf(registrantOf(userId, markId, pseudonyms)) },
    clock,
  };
  const print = async (line: string) => {
    if (!output.write(`${line}\n`)) await once(output, 'drain');
  };
  const summary = await runRecovery(recovered, {
    isDryRun,
    signal,
    onFinding: (finding) => print(json ? JSON.stringify(finding) : describeFinding(finding)),
    onProgress: createProgress(notify, clock),
  });
  if (json) await print(JSON.stringify({ summary }));
  else notify(`Compared ${describeSummary(summary)}.`);
  const missing = Object.entries(summary.found).some(([outcome, count]) => outcome !== 'recovered' && count > 0);
  return missing ? EXIT_LOST : 0;
}

function createProgress(notify: (message: string) => void, clock: () => Date) {
  let lastPrintedAt = clock().getTime();
  return (summary: RecoverySummary) => {
    const now = clock().getTime();
    if (now - lastPrintedAt < PROGRESS_INTERVAL_MS) return;
    lastPrintedAt = now;
    notify(`So far ${describeSummary(summary)}.`);
  };
}

const kinds = { artifact: 'Artifact', 'signed-copy': 'Signed copy of Artifact', fingerprint: 'Fingerprint' };

function describeFinding({ outcome, kind, artifactId, fingerprint }: RecoveryFinding): string {
  const subject = [kinds[kind], artifactId, fingerprint].filter((part) => part !== undefined).join(' ');
  return `${outcome}  ${subject}: ${explanations[outcome]}`;
}

function describeSummary({ walked, found }: RecoverySummary): string {
  const counts = `${walked.entries} entries on chain, ${walked.files} files, ${walked.downloads} pieces of downloads`;
  const findings = Object.entries(found).map(([outcome, count]) => `${count} ${outcome}`);
  return `${counts}: ${findings.length > 0 ? findings.join(', ') : 'nothing is missing'}`;
}
