// All commands, in the order of the help.

import type { CommandGroup } from '../command.js';
import { accountGroup } from './account/index.js';
import { claimGroup } from './claims.js';
import { createCompletionCommand } from './completion.js';
import { configGroup } from './config.js';
import { fileGroup } from './file.js';
import { hashCommand } from './hash.js';
import { createHelpCommand } from './help.js';
import { invitationGroup } from './invitations.js';
import { logGroup } from './log.js';
import { loginCommand } from './login.js';
import { lookupCommand } from './lookup.js';
import { markGroup } from './marks.js';
import { orgGroup } from './orgs.js';
import { registerCommand } from './register.js';
import { verifyCommand } from './verify.js';
import { watchGroup } from './watch.js';

const sections = {
  Files: [registerCommand, verifyCommand, lookupCommand, hashCommand, watchGroup, fileGroup],
  'Marks and users': [markGroup, orgGroup, invitationGroup, claimGroup],
  'Public log': [logGroup],
  Settings: [loginCommand, accountGroup, configGroup],
};

export const rootGroup: CommandGroup = {
  name: 'provenance',
  summary: 'register files and verify who registered them',
  description: 'Registers files in the content provenance registry, and verifies who registered a file and when.',
  sections,
  commands: [
    ...Object.values(sections).flat(),
    createCompletionCommand(() => rootGroup),
    createHelpCommand(() => rootGroup),
  ],
};
