// `file sign`: gives images a manifest of their own, embedded by the service.

import { mkdir } from 'node:fs/promises';
import { toAbsolutePath } from '../argumentPaths.js';
import { authorshipOption } from '../authorship.js';
import { defineCommand } from '../command.js';
import { connectLoggedIn } from '../connect.js';
import type { Context } from '../context.js';
import { digitalSourceTypeOption } from '../digitalSourceType.js';
import { orFileError, UsageError } from '../errors.js';
import { concurrencyOption, fileArgument, inputOptions, STDIN } from '../inputs/options.js';
import { chooseMarkId, markOption } from '../names.js';
import { text } from '../text.js';

/** Each file is sent and signed as a whole, in the memory of the service. */
const DEFAULT_CONCURRENCY = 2;

const { filesFrom, null: isNull, jsonLines, csv } = inputOptions;

export const signCommand = defineCommand({
  name: 'sign',
  summary: 'embed signed manifests in images',
  description:
    'Saves a signed copy of each image, with its manifest embedded: photo.jpg as photo.signed.jpg. The images are sent to ' +
    'the service, which does not store them. An image that is not registered yet is registered first; one that is ' +
    'registered can have three signed copies. They are found like the original. Exit code 1: a file was refused. 2: an ' +
    'output file exists. 3: a file could not be read or written, or the service did not respond.',
  arguments: { files: fileArgument('images') },
  options: {
    output: { short: 'o', label: 'FILE', summary: 'the signed copy, of a single image', completion: 'files' },
    outputDir: {
      label: 'FOLDER',
      summary: 'folder for the signed copies, created if it is missing (default: that of each image)',
      completion: 'files',
    },
    force: { kind: 'flag', short: 'f', summary: 'overwrite existing files' },
    mark: markOption,
    authorship: { ...authorshipOption, summary: `${authorshipOption.summary} (default: not-stated)` },
    digitalSourceType: digitalSourceTypeOption,
    filesFrom,
    null: isNull,
    jsonLines,
    csv,
    concurrency: concurrencyOption(DEFAULT_CONCURRENCY),
  },
  examples: {
    'provenance file sign moonrise.png': 'Register an image, and save it as moonrise.signed.png',
    'provenance file sign moonrise.png -o web.png': 'Save another signed copy under a name of your choice',
    'provenance file sign scans/*.png --output-dir signed --digital-source-type digitalCapture':
      'Sign several images, and state that a camera or scanner made them',
  },
  finishesOnInterrupt: true,
  async run(context, { output, outputDir, force, mark, authorship, digitalSourceType, ...values }) {
    requireSingleFile(output, outputDir, values);
    const [{ runOverInputs, describeCounts }, { createSigner }] = await Promise.all([
      import('../inputs/run.js'),
      import('../sign/signer.js'),
    ]);
    // Ctrl-C does not abort the requests of this client: a copy that is being made would be lost.
    const client = await connectLoggedIn({ ...context, signal: new AbortController().signal });
    const marks = await client.listMarks({ signal: context.signal });
    const markId = await chooseMarkId(marks, mark ?? (await context.loadSettings()).mark?.value);
    explain(context, client.baseUrl);
    if (outputDir !== undefined) {
      await orFileError(outputDir, mkdir(toAbsolutePath(context.cwd, outputDir), { recursive: true }));
    }
    const statements = { digitalSourceType, authorshipStated: authorship === 'stated' };
    const signer = createSigner(context, { client, markId, ...statements, output, outputDir, force });
    const end = await runOverInputs(
      context,
      { ...values, ignore: [] },
      {
        defaultConcurrency: DEFAULT_CONCURRENCY,
        takesFingerprints: false,
        takesFolders: false,
        progress: { label: 'Signing', unit: 'files' },
        process: signer.sign,
        outcomeOf: () => 'signed',
        failure: 'not signed',
        exitCodeOf: () => 0,
        formats: {
          toText: (name, { output: path, outcome }) =>
            text`${path}  signed copy of ${name}${outcome === 'registered' ? ', registered now' : ''}`,
          toJson: (file, result) => ({ file, ...result }),
          csvColumns: ['output', 'outcome', 'fingerprint', 'signedFingerprint', 'mediaType', 'size'],
          toCells: ({ output: path, outcome, fingerprint, signedFingerprint, mediaType, size }) => [
            path,
            outcome,
            fingerprint,
            signedFingerprint,
            mediaType,
            size,
          ],
        },
      },
    );
    if (end.files > 1) context.printHint(text`${describeCounts(end)}`);
    return end.exitCode;
  },
});

function requireSingleFile(
  output: string | undefined,
  outputDir: string | undefined,
  { files, filesFrom: list }: { readonly files: readonly string[]; readonly filesFrom?: string | undefined },
): void {
  const fail = (message: string) => {
    throw new UsageError(message);
  };
  if (output !== undefined && outputDir !== undefined) fail('--output and --output-dir cannot be combined.');
  if (output !== undefined && (files.length > 1 || list !== undefined))
    fail('--output is for a single image. Use --output-dir for several.');
  if (files.includes(STDIN)) fail('Images cannot be read from standard input.');
}

function explain(context: Context, url: string): void {
  context.printHint(text`The images are sent to ${url} to be signed. The service does not store them.`);
  context.signal.addEventListener('abort', () =>
    context.printHint(text`Finishing pending requests. Press Ctrl-C again to stop immediately.`),
  );
}
