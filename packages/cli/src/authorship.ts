// The statement that is recorded with new registrations: that the user made the files, or may speak for their maker.

import type { Context } from './context.js';
import { CommandError } from './errors.js';
import { promptUser } from './prompt.js';
import { wrapText } from './text.js';

export const authorshipOption = {
  label: 'STATEMENT',
  summary: 'whether you state that you made the files or may speak for their maker',
  choices: ['stated', 'not-stated'],
} as const;

type Authorship = (typeof authorshipOption)['choices'][number];

const EXPLANATION =
  'Did you make these files, or may you speak for their maker? The answer is public, recorded with each file for good, ' +
  'and not checked. --authorship answers without asking.';

/** Asks in a terminal. A script that does not say so states nothing. */
export async function readAuthorship(context: Context, given: Authorship | undefined): Promise<boolean> {
  if (given !== undefined || !context.isForPeople || !context.stdin.isTTY) return given === 'stated';
  context.printNote(wrapText(EXPLANATION, context.columns));
  const reply = await Promise.race([
    promptUser(context, 'State that you did, or may? [y/N] ', 'open'),
    rejectOnAbort(context.signal),
  ]);
  return /^y(es)?$/i.test(reply.trim());
}

/** Commands that finish pending work on Ctrl-C would wait for an answer. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const interrupt = () => reject(new CommandError('INTERRUPTED', 3, 'Interrupted: nothing was registered.'));
    signal.addEventListener('abort', interrupt, { once: true });
  });
}
