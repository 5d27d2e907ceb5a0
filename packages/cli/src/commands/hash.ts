// `hash`: prints the fingerprints of files.

import type { HashResult } from '@provenance-registry/client/node';
import { defineCommand } from '../command.js';
import { concurrencyOption, fileArgument, inputOptions } from '../inputs/options.js';
import type { HashedFile } from '../outputSchemas/files.js';
import { formatAmount } from '../progress.js';
import { hashSource } from '../targets.js';
import { joinLines, type Text, text } from '../text.js';

/** More parallel reads make a disk seek back and forth. */
const DEFAULT_CONCURRENCY = 4;

export const hashCommand = defineCommand({
  name: 'hash',
  summary: 'print the fingerprints of files',
  description:
    'Prints the fingerprint of each file, the SHA-256 of its bytes, and of all files in folders. Nothing is sent to the ' +
    'service. Exit code 3: a file could not be read, or none was found.',
  arguments: { files: fileArgument('files and folders; - for standard input') },
  options: {
    art: { kind: 'flag', summary: 'draw each fingerprint as OpenSSH randomart' },
    ...inputOptions,
    concurrency: concurrencyOption(DEFAULT_CONCURRENCY),
  },
  examples: {
    'provenance hash photo.jpg': 'Fingerprint of a file',
    'provenance hash --art photo.jpg': 'With randomart, which is easier to compare',
    'provenance hash --csv photos > fingerprints.csv': 'Fingerprints of all files in a folder, for a spreadsheet',
    'find photos -name "*.jpg" -print0 | provenance hash --files-from - -0': 'Fingerprints of the files in a list',
    'cat photo.jpg | provenance hash -': 'Fingerprint of standard input',
  },
  async run(context, { art, ...values }) {
    const { runOverInputs } = await import('../inputs/run.js');
    const drawArt = art ? await loadRandomart() : undefined;
    const end = await runOverInputs<HashResult>(context, values, {
      defaultConcurrency: DEFAULT_CONCURRENCY,
      takesFingerprints: false,
      progress: { label: 'Hashing', unit: 'bytes' },
      process: (input, onBytes) => hashSource(context, input, onBytes),
      outcomeOf: () => 'hashed',
      exitCodeOf: () => 0,
      formats: {
        toText(name, { fingerprint }) {
          const line = text`${fingerprint}  ${name}`;
          return drawArt ? joinLines([line, drawArt(fingerprint)]) : line;
        },
        toJson: (file, hashed): HashedFile => ({
          file,
          ...hashed,
          ...(drawArt && { art: drawArt(hashed.fingerprint).toString() }),
        }),
        csvColumns: ['fingerprint', 'size'],
        toCells: ({ fingerprint, size }) => [fingerprint, size],
      },
    });
    // Only for people: the output is as clean as that of sha256sum.
    if (end.files > 1) {
      const { describeCounts } = await import('../inputs/run.js');
      context.printHint(text`${describeCounts(end)} (${formatAmount(end.bytes, 'bytes')})`);
    }
    return end.exitCode;
  },
});

type DrawArt = (fingerprint: string) => Text;

async function loadRandomart(): Promise<DrawArt> {
  const { drawRandomart } = await import('@provenance-registry/core/randomart');
  return (fingerprint) => joinLines(drawRandomart(Buffer.from(fingerprint.slice(2), 'hex')).split('\n'));
}
