// `account email` and `account verify-email`: changing and verifying the email address.

import { defineCommand } from '../../command.js';
import { connect, connectLoggedIn } from '../../connect.js';
import { UsageError } from '../../errors.js';
import { linkArgument, linkWarning, readLinkToken } from '../../linkToken.js';
import { createSecretReader } from '../../prompt.js';
import { text } from '../../text.js';
import { requireAccepted } from '../../toCommandError.js';
import { passwordSecret } from '../secrets.js';
import { connectAccount } from './connectAccount.js';

export const emailCommand = defineCommand({
  name: 'email',
  summary: 'change your email address',
  description:
    'Changes the email address that you log in with. The service mails a link to the new address, and the change takes ' +
    'effect when it is opened. On a service that sends no mail, it takes effect immediately. Asks for your password; ' +
    'without a terminal it is PROVENANCE_PASSWORD or the first line of standard input.',
  arguments: { email: { label: 'ADDRESS', summary: 'new email address' } },
  examples: { 'provenance account email ada.king@example.com < password.txt': 'Change your email address' },
  async run(context, { email }) {
    const { client } = await connectAccount(context);
    const password = await createSecretReader(context)(passwordSecret);
    await requireAccepted(client.changeEmail({ email, password }));
    const { user } = await client.getMe();
    const isPending = user.email?.toLowerCase() !== email.toLowerCase();
    const pending = text`Open the link that was mailed to ${email}: the change takes effect then.`;
    context.printResult({ email, isPending }, isPending ? pending : text`Your email address is now ${email}.`);
  },
});

export const verifyEmailCommand = defineCommand({
  name: 'verify-email',
  summary: 'verify your email address',
  description:
    'Verifies an email address with the link that was mailed to it; needs no login. With --resend, requests another mail. ' +
    linkWarning,
  arguments: { link: { ...linkArgument, optional: true } },
  options: { resend: { kind: 'flag', summary: 'request another mail instead' } },
  examples: {
    'provenance account verify-email - < link.txt': 'Verify the address with the link in a file',
    'provenance account verify-email --resend': 'Request another mail',
  },
  async run(context, { link, resend }) {
    if (resend === (link !== undefined)) {
      throw new UsageError('Either a link or --resend is required.');
    }
    if (link === undefined) {
      await (await connectLoggedIn(context)).resendVerification();
      context.printResult({ status: 'requested' }, text`A mail is on its way, unless your address is verified.`);
      return;
    }
    const token = await readLinkToken(context, link);
    await (await connect(context)).verifyEmail({ token });
    context.printResult({ status: 'verified' }, text`The email address is verified.`);
  },
});
