// `file lookalikes`: searches for registered images and recordings that look or sound like a file.

import { defineCommand } from '../command.js';
import { concurrencyOption, fileArgument, inputOptions } from '../inputs/options.js';
import { searchOptions } from '../lookalikes/searchOptions.js';
import { wrapText } from '../text.js';

/** The service computes for each search; more would only wait there. */
const DEFAULT_CONCURRENCY = 4;

export const lookalikesCommand = defineCommand({
  name: 'lookalikes',
  summary: 'find registered files that look or sound like a file',
  description:
    'Searches for registered images and recordings that resemble files: copies that were re-encoded, resized, mirrored, ' +
    'turned or cropped a little. Codes are computed on this machine, and only they are sent. A look-alike is a hint, not ' +
    "a proof; 'verify' checks who registered this exact file. No account is needed. Exit code 0: found; 1: none found; " +
    '3: a file could not be read or has no codes, or the service did not answer. Of several files, the worst counts: 1, 3, 0.',
  arguments: { files: fileArgument('images, recordings and folders; - for standard input') },
  options: {
    ...searchOptions,
    sendFile: { kind: 'flag', summary: 'send the files instead of codes, for formats that this machine cannot read' },
    ...inputOptions,
    concurrency: concurrencyOption(DEFAULT_CONCURRENCY),
  },
  examples: {
    'provenance file lookalikes copy.jpg': 'Search for look-alikes of an image',
    'provenance file lookalikes --max-distance 12 --limit 50 copy.jpg': 'Also find images that were changed more',
    'provenance file lookalikes --csv copies > lookalikes.csv':
      'The closest of each file in a folder, for a spreadsheet',
  },
  async run(context, { maxDistance, limit, sendFile, ...values }) {
    const [{ describeCounts, runOverInputs }, { createLookalikeFormats, runSearch }] = await Promise.all([
      import('../inputs/run.js'),
      import('../lookalikes/search.js'),
    ]);
    const { search, describeSent } = await runSearch(context, { maxDistance, limit, sendFile });
    const end = await runOverInputs(context, values, {
      defaultConcurrency: DEFAULT_CONCURRENCY,
      takesFingerprints: false,
      progress: { label: 'Searching', unit: 'files' },
      formats: createLookalikeFormats(),
      process: search,
      outcomeOf: ({ lookalikes, missing }) =>
        missing === undefined ? (lookalikes.length > 0 ? 'with look-alikes' : 'without look-alikes') : 'not searched',
      failure: 'could not be searched for',
      exitCodeOf: ({ lookalikes, missing }) => (lookalikes.length > 0 ? 0 : missing === undefined ? 1 : 3),
    });
    if (end.files === 0 || !context.isForPeople) return end.exitCode;
    if (end.files > 1) context.print(wrapText(describeCounts(end), context.columns));
    context.print(wrapText(describeSent(), context.columns));
    return end.exitCode;
  },
});
