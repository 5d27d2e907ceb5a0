// `register`: files and whole folders.

import { command } from '../command.js';

export const registerCommand = command({
  name: 'register',
  summary: 'register files and whole folders',
  description:
    'Registers every file that is named, and every file in the folders that are named, under one of your Marks. Only ' +
    'fingerprints are sent, never the files. After Ctrl-C or a crash, the same command goes on where it was. Exit code ' +
    '1: some were refused, or belong to somebody else. 3: something could not be read, or the service did not answer.',
  arguments: {
    paths: { label: 'PATH', summary: 'files and folders', many: true, completion: 'files' },
  },
  options: {
    mark: { kind: 'text', label: 'MARK', summary: 'id of the Mark; else that of the profile, else your only one' },
    ignore: {
      kind: 'text',
      label: 'PATTERN',
      many: true,
      summary: 'leave out what matches, as in .gitignore; hidden files are left out anyway',
    },
    wait: { kind: 'flag', short: 'w', summary: 'wait until the chain has each of them, or never will' },
    dryRun: { kind: 'flag', short: 'n', summary: 'hash and look them up, but register nothing' },
    watch: { kind: 'flag', summary: 'then go on with every file that is new or changes, until Ctrl-C' },
    versions: { kind: 'flag', summary: 'send a registered file that has changed as a new version of what it was' },
    concurrency: { kind: 'integer', label: 'COUNT', summary: 'so many requests at once; 8 if nothing is said' },
    noJournal: { kind: 'flag', summary: 'keep nothing; the run cannot be resumed' },
  },
  examples: [
    { run: 'provenance register photos', meaning: 'A whole folder' },
    { run: "provenance register photos --ignore '*.xmp' --ignore drafts/", meaning: 'Without some of it' },
    { run: 'provenance register --dry-run photos', meaning: 'What would happen' },
    { run: 'provenance register --mark "$MARK_ID" --wait sunrise.jpg', meaning: 'One file, until the chain has it' },
    { run: 'provenance register --watch --versions photos', meaning: 'Everything that comes into the folder' },
  ],
  endsByItself: true,
  async run(context, given) {
    // What it takes is only loaded when it is needed.
    const { runRegister } = await import('./run.js');
    return runRegister(context, given);
  },
});
