// `account totp`: the second factor, a code of an authenticator app.

import { type CommandGroup, defineCommand } from '../../command.js';
import { connectLoggedIn } from '../../connect.js';
import { createSecretReader } from '../../prompt.js';
import { formatFields, joinLines, text } from '../../text.js';
import { requireAccepted } from '../../toCommandError.js';
import { passwordSecret, readTotpCode, totpCodeOption } from '../secrets.js';
import { connectAccount } from './connectAccount.js';

const enableCommand = defineCommand({
  name: 'enable',
  summary: 'set up a second factor',
  description:
    'Prints a secret for an authenticator app (RFC 6238). Logging in needs a code of the app once you confirm it with ' +
    "'account totp confirm'. Asks for your password; without a terminal it is PROVENANCE_PASSWORD or the first line of " +
    'standard input.',
  examples: { 'provenance account totp enable < password.txt': 'Create a secret' },
  async run(context) {
    const { client } = await connectAccount(context);
    const password = await createSecretReader(context)(passwordSecret);
    const setup = await requireAccepted(client.startTotp({ password }));
    context.printResult(
      setup,
      formatFields([
        ['Secret', setup.secret],
        ['URL', setup.url],
      ]),
    );
    context.printHint(text`Add it to your authenticator app, then run 'provenance account totp confirm'.`);
  },
});

const confirmCommand = defineCommand({
  name: 'confirm',
  summary: 'switch the second factor on',
  description:
    'Confirms the second factor with a code of the authenticator app, and prints recovery codes. Each of them works once ' +
    'in place of a code, and they cannot be shown again.',
  options: { totpCode: { ...totpCodeOption, summary: 'code of the authenticator app (or PROVENANCE_TOTP_CODE)' } },
  examples: {
    'provenance account totp confirm --totp-code "$CODE" > recovery-codes.txt':
      'Switch it on, and save the recovery codes',
  },
  async run(context, { totpCode }) {
    const client = await connectLoggedIn(context);
    const code = totpCode ?? (await readTotpCode(createSecretReader(context)));
    const confirmed = await client.confirmTotp({ code });
    context.printHint(text`The second factor is on. Keep these recovery codes in a safe place:`);
    context.printResult(confirmed, joinLines(confirmed.recoveryCodes));
  },
});

const disableCommand = defineCommand({
  name: 'disable',
  summary: 'remove the second factor',
  description:
    'Removes the second factor: logging in needs the password alone again, and recovery codes stop working. To get new ' +
    'recovery codes, disable and enable it. Asks for your password, as enable does.',
  examples: { 'provenance account totp disable < password.txt': 'Remove the second factor' },
  async run(context) {
    const { client } = await connectAccount(context);
    const password = await createSecretReader(context)(passwordSecret);
    await requireAccepted(client.removeTotp({ password }));
    context.printResult({ status: 'disabled' }, text`The second factor is removed.`);
  },
});

export const totpGroup: CommandGroup = {
  name: 'totp',
  summary: 'manage the second factor',
  description: 'Manages the second factor: a code of an authenticator app that logging in needs besides the password.',
  commands: [enableCommand, confirmCommand, disableCommand],
};
