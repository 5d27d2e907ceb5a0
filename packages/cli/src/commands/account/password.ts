// `account password` and `account reset-password`: changing the password, and resetting a forgotten one.

import { type CommandGroup, defineCommand } from '../../command.js';
import { connect } from '../../connect.js';
import { parseLinkToken } from '../../linkToken.js';
import { createSecretReader } from '../../prompt.js';
import { text } from '../../text.js';
import { requireAccepted } from '../../toCommandError.js';
import { newPasswordSecret, passwordSecret } from '../secrets.js';
import { connectAccount } from './connectAccount.js';

export const passwordCommand = defineCommand({
  name: 'password',
  summary: 'change your password',
  description:
    'Changes your password, and ends all other sessions. Without a terminal, the current and the new password are the ' +
    'first two lines of standard input, or PROVENANCE_PASSWORD and PROVENANCE_NEW_PASSWORD.',
  examples: { 'provenance account password < passwords.txt': 'Change the password: the current one, then the new one' },
  async run(context) {
    const { client } = await connectAccount(context);
    const readSecret = createSecretReader(context);
    const currentPassword = await readSecret({ ...passwordSecret, prompt: 'Current password: ' });
    const newPassword = await readSecret(newPasswordSecret);
    await requireAccepted(client.changePassword({ currentPassword, newPassword }));
    context.printResult({ status: 'changed' }, text`Password changed. All other sessions are ended.`);
  },
});

const requestCommand = defineCommand({
  name: 'request',
  summary: 'request a link by mail',
  description:
    'Mails a link that is valid for an hour, if the address has an account. On a service that sends no mail, ask its ' +
    'operator for a link.',
  arguments: { email: { label: 'ADDRESS', summary: 'email address of the account' } },
  examples: { 'provenance account reset-password request ada@example.com': 'Request a link' },
  async run(context, { email }) {
    await (await connect(context)).requestPasswordReset({ email });
    context.printResult({ status: 'requested' }, text`If ${email} has an account, a mail is on its way.`);
  },
});

const confirmCommand = defineCommand({
  name: 'confirm',
  summary: 'set a new password with the link',
  description:
    'Sets a new password with the link of the mail, and ends all sessions. Prompts for both; without a terminal, they are ' +
    'the first two lines of standard input. The new password can also be PROVENANCE_NEW_PASSWORD. A second factor stays.',
  examples: { 'provenance account reset-password confirm < link-and-password.txt': 'Set a new password in a script' },
  async run(context) {
    const readSecret = createSecretReader(context);
    const link = await readSecret({ name: 'link', prompt: 'Link or its token: ' });
    const token = await parseLinkToken(context, link);
    const newPassword = await readSecret(newPasswordSecret);
    await (await connect(context)).confirmPasswordReset({ token, newPassword });
    context.printResult({ status: 'changed' }, text`Password changed. Log in with 'provenance login'.`);
  },
});

export const resetPasswordGroup: CommandGroup = {
  name: 'reset-password',
  summary: 'reset a forgotten password',
  description: 'Resets a forgotten password with a link that the service mails. Needs no login.',
  commands: [requestCommand, confirmCommand],
};
