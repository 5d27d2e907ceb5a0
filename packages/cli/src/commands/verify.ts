// `verify`: checks what the service, the chain and the signed manifest say about files, each independently.

import { stat } from 'node:fs/promises';
import { toArgumentPaths } from '../argumentPaths.js';
import { defineCommand } from '../command.js';
import type { Context } from '../context.js';
import { concurrencyOption, fileArgument, inputOptions, type OutputFormat } from '../inputs/options.js';
import { text, wrapText } from '../text.js';

/** Each file takes a few requests; more would only queue up at the service. */
const DEFAULT_CONCURRENCY = 8;

export const verifyCommand = defineCommand({
  name: 'verify',
  summary: 'verify who registered files',
  description:
    'Checks what the service, the contract on chain and the signed manifest say about files, and about all files in ' +
    'folders. Facts are shown with the evidence that carries them. The files are not sent, and no account is needed. ' +
    'The service is asked for all fingerprints with the same first digits: it does not learn which file is checked, ' +
    'unless it has it. ' +
    'Exit code 0: verified; 1: contradicted or unknown; 3: could not check; 4: consistent, but not independently ' +
    'confirmed, or contested by another user, or conceded to another Mark. Of several files, the worst counts: 1, 3, 4, 0.',
  arguments: { files: fileArgument('files, folders or fingerprints; - for standard input') },
  options: {
    details: { kind: 'flag', summary: 'show everything about each file; the default for a single file' },
    require: {
      label: 'SOURCES',
      summary: 'sources that must confirm independently: chain, manifest or chain,manifest',
    },
    manifest: {
      label: 'FILE.c2pa',
      summary: 'use a signed manifest that you have, and the chain, instead of the service',
      completion: 'files',
    },
    offline: {
      label: 'BUNDLE',
      summary: "use a file written by 'bundle' instead of the service; with --rpc-url, also check the chain",
      completion: 'files',
    },
    direct: { kind: 'flag', summary: 'send the fingerprints to the service; fewer and smaller requests' },
    similar: { kind: 'flag', summary: 'search for look-alikes of files without an exact match; sends codes of them' },
    blockHash: { label: 'HASH', summary: 'with --offline: hash of the block that an explorer of the chain shows' },
    ...inputOptions,
    concurrency: concurrencyOption(DEFAULT_CONCURRENCY),
  },
  examples: {
    'provenance verify --rpc-url "$RPC_URL" photo.jpg': 'Verify a file with a node that you know from elsewhere',
    'provenance verify --rpc-url "$RPC_URL" --contract "$CONTRACT" --require chain photos':
      'Verify all files in a folder, one line each',
    'provenance verify --rpc-url "$RPC_URL" --csv photos > report.csv 2> summary.txt':
      'As a table for a spreadsheet, with the summary in another file',
    'provenance verify --rpc-url "$RPC_URL" --similar photo.jpg':
      'Also search for look-alikes, if this exact file is unknown',
    'provenance verify --rpc-url "$RPC_URL" --offline photo.bundle.json photo.jpg': 'Verify without the service',
  },
  async run(context, { details, require, manifest, offline, blockHash, direct = false, similar = false, ...values }) {
    const [{ describeCounts, runOverInputs }, { createVerifier }, { createVerificationFormats, verdictExitCodes }] =
      await Promise.all([import('../inputs/run.js'), import('../verify/verifier.js'), import('../verify/formats.js')]);
    const verifier = await createVerifier(context, { require, manifest, offline, blockHash, direct, similar });
    const isSingle = await isSingleFile(context, values);
    const { columns } = context;
    const end = await runOverInputs(context, values, {
      name: 'verify',
      defaultConcurrency: DEFAULT_CONCURRENCY,
      takesFingerprints: true,
      progress: { label: 'Verifying', unit: 'files' },
      formats: createVerificationFormats({
        hasDetails: details || isSingle,
        columns,
        advice: verifier.advice,
        similar,
      }),
      process: verifier.verify,
      outcomeOf: ({ verdict }) => (verdict === 'incomplete' ? 'could not be checked' : verdict),
      exitCodeOf: ({ verdict }) => verdictExitCodes[verdict],
    });
    if (isSingle || end.files === 0) return end.exitCode;
    printSummary(context, end.format, describeCounts(end));
    const disclosures = verifier.describeDisclosures();
    if (disclosures !== undefined) printSummary(context, end.format, disclosures);
    if (!details && end.format === 'text' && end.counts.has('consistent'))
      context.print(wrapText(verifier.advice, columns));
    return end.exitCode;
  },
});

/** A folder may have many files, even if it is the only argument. */
async function isSingleFile(
  context: Context,
  { files, filesFrom }: { readonly files: readonly string[]; readonly filesFrom?: string | undefined },
): Promise<boolean> {
  const [argument, ...others] = toArgumentPaths(context, files);
  if (!argument || others.length > 0 || filesFrom !== undefined) return false;
  const stats = await stat(argument.path).catch(() => undefined);
  return !stats?.isDirectory();
}

/** Part of the text; next to a table or a list of objects, on standard error. */
function printSummary(context: Context, format: OutputFormat, summary: string): void {
  if (format === 'text') context.print(text`${summary}`);
  else if (format !== 'json') context.printNote(text`${summary}`);
}
