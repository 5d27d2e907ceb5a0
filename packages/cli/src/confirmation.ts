// Steps that cannot be taken back: says what follows and asks for consent.

import type { Context } from './context.js';
import { CommandError } from './errors.js';
import { promptUser } from './prompt.js';
import { wrapText } from './text.js';

export const yesOption = { kind: 'flag', short: 'y', summary: 'do not ask; required without a terminal' } as const;

export interface Step {
  /** What follows, as sentences. */
  readonly consequences: string;
  /** Such as `Leave the organization?`. */
  readonly question: string;
}

/** Resolves when the user agrees, by `--yes` or in the terminal; otherwise throws, and the command changes nothing. */
export async function confirmStep(context: Context, yes: boolean, { consequences, question }: Step): Promise<void> {
  if (yes) return;
  if (!context.stdin.isTTY) {
    throw new CommandError('CONFIRMATION_REQUIRED', 2, `${consequences} Use --yes to confirm.`);
  }
  context.printNote(wrapText(consequences, context.columns));
  const reply = await promptUser(context, `${question} [y/N] `, 'open');
  if (!/^y(es)?$/i.test(reply.trim())) throw new CommandError('CANCELLED', 2, 'Cancelled: nothing was changed.');
}
