// `file visibility`: shows or hides the name and size of a registered file.

import { defineCommand } from '../command.js';
import { confirmStep, yesOption } from '../confirmation.js';
import { connectLoggedIn } from '../connect.js';
import { readTarget, targetArgument } from '../targets.js';
import { text } from '../text.js';

const HIDING = {
  consequences:
    'Other users no longer see the name, size and advisory hashes of the file in this service. What is published already ' +
    'cannot be taken back: the signed manifest, its report and the card keep them, and others may have copies.',
  question: 'Hide them from now on?',
};

export const visibilityCommand = defineCommand({
  name: 'visibility',
  summary: "show or hide a file's name and size",
  description:
    'Sets whether other users can see the name, size and advisory hashes of a registered file. What is published already ' +
    'cannot be taken back: the signed manifest, its report and the card do not change. Mark admins only.',
  arguments: {
    target: targetArgument,
    contentVisibility: { label: 'VISIBILITY', summary: 'who can see them', choices: ['public', 'private'] },
  },
  options: { yes: yesOption },
  examples: { 'provenance file visibility photo.jpg private --yes': 'Hide the name and size' },
  async run(context, { target, contentVisibility, yes }) {
    const { fingerprint } = await readTarget(context, target);
    const client = await connectLoggedIn(context);
    if (contentVisibility === 'private') await confirmStep(context, yes, HIDING);
    const artifact = await client.setContentVisibility({ fingerprint, contentVisibility });
    context.printResult(artifact, text`The name and size of ${fingerprint} are now ${artifact.contentVisibility}.`);
  },
});
