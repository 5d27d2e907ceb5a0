// `verify`: checks what the service, the chain, the signed manifest and the public log say about files, each independently.

import { stat } from 'node:fs/promises';
import type { Verdict } from '@provenance-registry/client';
import { toArgumentPaths } from '../argumentPaths.js';
import { defineCommand } from '../command.js';
import { type Context, formatWarning } from '../context.js';
import { concurrencyOption, fileArgument, inputOptions } from '../inputs/options.js';
import { text } from '../text.js';

/** Each file takes a few requests; more would only queue up at the service. */
const DEFAULT_CONCURRENCY = 8;

const markId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const NAME_NOTE = 'Any other Mark can have the same name. Expect the ID of the Mark to be sure.';

export const verifyCommand = defineCommand({
  name: 'verify',
  summary: 'verify who registered files',
  description:
    'Checks what the service, the contract on chain, the signed manifest and the public log say about files, and about ' +
    'all files in folders. Facts are shown with the evidence that carries them. The files are not sent, and no account is needed. ' +
    'The service is asked for all fingerprints with the same first digits: it does not learn which file is checked, ' +
    'unless it has it. ' +
    'Exit code 0: verified by what you named or pinned; 1: contradicted, unknown, contested by another user or conceded ' +
    'to another Mark; 3: could not check; 4: consistent, but some of it is the word of the service. Of several files, the ' +
    'worst counts: 1, 3, 4, 0.',
  arguments: { files: fileArgument('files, folders or fingerprints; - for standard input') },
  options: {
    details: { kind: 'flag', summary: 'show everything about each file; the default for a single file' },
    require: {
      label: 'SOURCES',
      summary: 'sources that must confirm independently: chain, manifest, log, or several as in chain,log',
    },
    expectMark: {
      label: 'NAME|ID',
      summary: 'Mark whose file it should be; any other Mark can have the same name, but not the same ID',
    },
    manifest: {
      label: 'FILE.c2pa',
      summary: 'use a signed manifest that you have, and the chain, instead of the service',
      completion: 'files',
    },
    bundle: {
      label: 'FILE',
      summary: "use evidence saved by 'file bundle' instead of the service; with --rpc-url, also check the chain",
      completion: 'files',
    },
    mirror: {
      label: 'URL|FOLDER',
      summary: "use a copy made by 'log mirror' instead of the service; with --rpc-url, also check the chain",
      completion: 'files',
    },
    direct: { kind: 'flag', summary: 'send the fingerprints to the service; fewer and smaller requests' },
    similar: { kind: 'flag', summary: 'search for look-alikes of files without an exact match; sends codes of them' },
    blockHash: { label: 'HASH', summary: 'with --bundle: hash of the block that an explorer of the chain shows' },
    anchorBlockHash: { label: 'HASH', summary: "with --bundle: the same for the block of the log's anchor" },
    ...inputOptions,
    concurrency: concurrencyOption(DEFAULT_CONCURRENCY),
  },
  examples: {
    'provenance verify --rpc-url "$NODE" --contract "$CONTRACT" photo.jpg':
      'Verify a file with a node and a contract that you know from elsewhere',
    'provenance verify --rpc-url "$NODE" --contract "$CONTRACT" --require chain photos':
      'Verify all files in a folder, one line each',
    'provenance verify --rpc-url "$NODE" --contract "$CONTRACT" --csv photos > report.csv 2> log.txt':
      'As a table for a spreadsheet, with the summary in another file',
    'provenance verify --rpc-url "$NODE" --contract "$CONTRACT" --similar photo.jpg':
      'Also search for look-alikes, if this exact file is unknown',
    'provenance verify --rpc-url "$NODE" --contract "$CONTRACT" --bundle photo.bundle.json photo.jpg':
      'Verify without the service',
  },
  async run(context, { details, ...values }) {
    const { startForFile } = await import('../verify/manifestThread.js');
    const [first] = toArgumentPaths(context, values.files);
    if (first) startForFile(first.path);
    const [{ describeCounts, runOverInputs }, { createVerifier }, { createVerificationFormats, verdictExitCodes }] =
      await Promise.all([import('../inputs/run.js'), import('../verify/verifier.js'), import('../verify/formats.js')]);
    const verifier = await createVerifier(context, values);
    if (values.expectMark !== undefined && !markId.test(values.expectMark)) context.printNote(formatWarning(NAME_NOTE));
    const isSingle = await isSingleFile(context, values);
    const { columns } = context;
    /** Advice for the first file with each reason. */
    const advised = new Map<string, string>();
    const end = await runOverInputs(context, values, {
      defaultConcurrency: DEFAULT_CONCURRENCY,
      takesFingerprints: true,
      progress: { label: 'Verifying', unit: 'files' },
      formats: createVerificationFormats({
        hasDetails: details || isSingle,
        columns,
        advise: verifier.advise,
        similar: values.similar,
        maker:
          values.bundle !== undefined
            ? 'the maker of the bundle'
            : values.mirror !== undefined
              ? 'the copy'
              : undefined,
      }),
      async process(input, onBytes) {
        const result = await verifier.verify(input, onBytes);
        const { verdict, reason } = result;
        if (reason && isFixable(verdict) && !advised.has(reason.code))
          advised.set(reason.code, verifier.advise(input.name, result) ?? '');
        return result;
      },
      outcomeOf: ({ verdict }) => (verdict === 'incomplete' ? 'could not be checked' : verdict),
      exitCodeOf: ({ verdict }) => verdictExitCodes[verdict],
    });
    if (isSingle || end.files === 0) return end.exitCode;
    printSummary(context, describeCounts(end));
    const disclosures = verifier.describeDisclosures();
    if (disclosures !== undefined) printSummary(context, disclosures);
    if (!details) for (const advice of advised.values()) context.print(text`Next: ${advice}`);
    return end.exitCode;
  },
});

/** Of what is unknown or contradicted, each file has its own story. */
function isFixable(verdict: Verdict): boolean {
  return verdict === 'consistent' || verdict === 'incomplete';
}

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
function printSummary(context: Context, summary: string): void {
  if (context.isForPeople) context.print(text`${summary}`);
  else if (context.format !== 'json') context.printNote(text`${summary}`);
}
