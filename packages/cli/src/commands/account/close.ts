// `account close`: closes the account for good.

import { defineCommand } from '../../command.js';
import { changeProfile, removeToken } from '../../configFile.js';
import { confirmStep, yesOption } from '../../confirmation.js';
import { createSecretReader } from '../../prompt.js';
import { text } from '../../text.js';
import { requireAccepted } from '../../toCommandError.js';
import { passwordSecret } from '../secrets.js';
import { connectAccount } from './connectAccount.js';

const CONSEQUENCES =
  'This cannot be taken back. Your email address, name and password are erased, and all sessions and API keys end. You ' +
  'leave all organizations. Your Marks stay readable and closed: nothing can be registered under them. Registered files ' +
  'stay registered, on chain too, with the name that was signed with them.';

export const closeCommand = defineCommand({
  name: 'close',
  summary: 'close your account',
  description:
    `Closes your account. ${CONSEQUENCES} 'account export' saves your data first. If you own an organization with other ` +
    'members, transfer it before. Asks for your password; without a terminal it is PROVENANCE_PASSWORD or the first line ' +
    'of standard input. Users of an OpenID provider need a token younger than ten minutes instead.',
  options: { yes: yesOption },
  examples: { 'provenance account close --yes < password.txt': 'Close your account in a script' },
  async run(context, { yes }) {
    const { client, user } = await connectAccount(context);
    const question = `Close the account of ${user.email ?? user.name}?`;
    await confirmStep(context, yes, { consequences: CONSEQUENCES, question });
    const { profile, token } = await context.loadSettings();
    const { isProviderToken } = await import('@provenance-registry/core');
    const hasPassword = !isProviderToken(token?.value ?? '');
    const password = hasPassword ? await createSecretReader(context)(passwordSecret) : undefined;
    await requireAccepted(client.closeAccount({ password }));
    if (token?.from === `profile ${profile.value}`) await changeProfile(context.env, profile.value, removeToken);
    context.printResult({ status: 'closed' }, text`Account closed.`);
  },
});
