// `visibility`: who sees what a registered file is called and how large it is.

import { command } from '../command.js';
import { connectLoggedIn } from '../connect.js';
import { readTarget } from '../targets.js';
import { text } from '../text.js';

export const visibilityCommand = command({
  name: 'visibility',
  summary: "show or hide a file's name and size",
  description:
    'Says whether others see the name, the size and the advisory hashes of a registered file. Files that are published ' +
    'already stay as they are. Only for the admin of its Mark.',
  arguments: {
    what: { label: 'FINGERPRINT|FILE', summary: 'a fingerprint, or a file; - is standard input', completion: 'files' },
    who: { label: 'WHO', summary: 'who sees it', choices: ['public', 'private'] },
  },
  examples: [{ run: 'provenance visibility photo.jpg private', meaning: 'Hide what the file is called' }],
  async run(context, { what, who }) {
    const { fingerprint } = await readTarget(context, what);
    const artifact = await (await connectLoggedIn(context)).setContentVisibility({
      fingerprint,
      contentVisibility: who,
    });
    context.result(artifact, text`Name and size of ${fingerprint} are ${artifact.contentVisibility}.`);
    return 0;
  },
});
