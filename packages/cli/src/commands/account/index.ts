// `account`: the current user's login, name, email address, password, sessions, second factor, limits and data.

import { defineApiCommand } from '../../apiCommand.js';
import { type CommandGroup, defineCommand } from '../../command.js';
import { connectLoggedIn } from '../../connect.js';
import { formatFields, text } from '../../text.js';
import { limitsCommand, subscribeCommand } from '../limits.js';
import { logoutCommand } from '../login.js';
import { closeCommand } from './close.js';
import { emailCommand, verifyEmailCommand } from './email.js';
import { exportCommand } from './export.js';
import { passwordCommand, resetPasswordGroup } from './password.js';
import { sessionGroup } from './sessions.js';
import { totpGroup } from './totp.js';

const showCommand = defineCommand({
  name: 'show',
  summary: 'show your account',
  description: 'Shows the account that the current token belongs to, and where the token comes from.',
  examples: { 'provenance account show': 'Show your account' },
  async run(context) {
    const { url, tokenExpiresAt, token } = await context.loadSettings();
    const me = await (await connectLoggedIn(context)).getMe();
    const { id, name, email, emailVerified, hasTotp, tier } = me.user;
    context.printResult(
      me,
      formatFields([
        ['Name', name],
        ['Email', email && `${email} (${emailVerified ? 'verified' : 'not verified'})`],
        ['ID', id],
        ['Tier', tier],
        ['Organizations', me.organizations.length],
        ['Second factor', hasTotp ? 'on' : 'off'],
        ['Service', url.value],
        ['Token from', token?.from],
        ['Token expires', tokenExpiresAt],
      ]),
    );
  },
});

const nameCommand = defineApiCommand({
  name: 'name',
  summary: 'change your name',
  description:
    'Changes your name as shown to others. Files that are already registered keep the name that was signed with them.',
  arguments: { name: { label: 'NAME', summary: 'new display name' } },
  examples: { 'provenance account name "Ada King"': 'Change your name' },
  request: async (client, { name }) => (await client.updateMe({ name })).user,
  format: ({ name }) => text`Your name is now ${name}.`,
});

export const accountGroup: CommandGroup = {
  name: 'account',
  summary: 'manage your account',
  description: 'Manages your account: login, name, email address, password, sessions, second factor, limits and data.',
  commands: [
    logoutCommand,
    showCommand,
    nameCommand,
    emailCommand,
    verifyEmailCommand,
    passwordCommand,
    resetPasswordGroup,
    sessionGroup,
    totpGroup,
    limitsCommand,
    subscribeCommand,
    exportCommand,
    closeCommand,
  ],
};
