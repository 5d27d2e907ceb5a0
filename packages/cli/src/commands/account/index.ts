// `account`: the current user's name, email address, password, sessions, second factor and data.

import { defineApiCommand } from '../../apiCommand.js';
import type { CommandGroup } from '../../command.js';
import { formatFields, text } from '../../text.js';
import { receivedCommand } from '../invitations.js';
import { closeCommand } from './close.js';
import { emailCommand, verifyEmailCommand } from './email.js';
import { exportCommand } from './export.js';
import { passwordCommand, resetPasswordGroup } from './password.js';
import { sessionsGroup } from './sessions.js';
import { totpGroup } from './totp.js';

const showCommand = defineApiCommand({
  name: 'show',
  summary: 'show your account',
  description: 'Shows your account: whether its email address is verified, and whether it has a second factor.',
  examples: { 'provenance account show': 'Show your account' },
  request: async (client) => (await client.getMe()).user,
  format: ({ id, name, email, emailVerified, hasTotp, tier }) =>
    formatFields([
      ['Name', name],
      ['Email', email && `${email} (${emailVerified ? 'verified' : 'not verified'})`],
      ['ID', id],
      ['Tier', tier],
      ['Second factor', hasTotp ? 'on' : 'off'],
    ]),
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
  description: 'Manages your account: name, email address, password, sessions, second factor and data.',
  commands: [
    showCommand,
    nameCommand,
    emailCommand,
    verifyEmailCommand,
    passwordCommand,
    resetPasswordGroup,
    sessionsGroup,
    totpGroup,
    receivedCommand,
    exportCommand,
    closeCommand,
  ],
};
