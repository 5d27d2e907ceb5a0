// `register`: registers files and folders.

import { defineCommand } from '../command.js';
import { registerArguments, registerOptions } from '../register/options.js';

export const registerCommand = defineCommand({
  name: 'register',
  summary: 'register files and folders',
  description:
    'Registers files, and all files in folders, under one of your Marks. Only fingerprints and file details are sent, ' +
    'never the files, and each record says so. Under a public Mark, codes of images and recordings are sent too, by which ' +
    'their look-alikes are found, and you are warned of older files of other Marks that look like yours. After Ctrl-C or ' +
    'a crash, run the same command again to continue. Exit code 1: files were refused or belong to another user. 3: a ' +
    'file could not be read, or the service did not respond.',
  arguments: registerArguments,
  options: registerOptions,
  examples: {
    'provenance register photos': 'Register a folder',
    'provenance register --new-mark "Ada Photography" notes.txt':
      'Create your first Mark, and register a file under it',
    'provenance register --authorship stated sunrise.jpg': 'State that you made the file, or may speak for its maker',
    "provenance register photos --ignore '*.xmp' --ignore drafts/": 'Skip some of the files',
    'provenance register --dry-run photos': 'Show what would be registered',
    'provenance register --no-codes photos': 'Send no codes by which look-alikes are found',
    'provenance register --mark "$MARK_ID" --wait sunrise.jpg': 'Wait until a file is on chain',
  },
  finishesOnInterrupt: true,
  async run(context, options) {
    // Loaded on demand, to keep the start of other commands fast.
    const { runRegister } = await import('../register/run.js');
    return runRegister(context, { ...options, watch: false });
  },
});
