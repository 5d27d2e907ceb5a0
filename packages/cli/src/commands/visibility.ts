// `visibility`: shows or hides the name and size of a registered file.

import { defineCommand } from '../command.js';
import { connectLoggedIn } from '../connect.js';
import { readTarget, targetArgument } from '../targets.js';
import { text } from '../text.js';

export const visibilityCommand = defineCommand({
  name: 'visibility',
  summary: "show or hide a file's name and size",
  description:
    'Sets whether other users can see the name, size and advisory hashes of a registered file. Files that are already ' +
    'published do not change. Mark admins only.',
  arguments: {
    target: targetArgument,
    contentVisibility: { label: 'VISIBILITY', summary: 'who can see them', choices: ['public', 'private'] },
  },
  examples: { 'provenance visibility photo.jpg private': 'Hide the name and size' },
  async run(context, { target, contentVisibility }) {
    const { fingerprint } = await readTarget(context, target);
    const client = await connectLoggedIn(context);
    const artifact = await client.setContentVisibility({ fingerprint, contentVisibility });
    context.printResult(artifact, text`The name and size of ${fingerprint} are now ${artifact.contentVisibility}.`);
  },
});
