// The table of commands, in the order in which help shows them.

import type { Group } from '../command.js';
import { registerCommand } from '../register/index.js';
import { bundleCommand } from './bundle.js';
import { completionCommand } from './completion.js';
import { configGroup } from './config.js';
import { hashCommand } from './hash.js';
import { helpCommand } from './help.js';
import { keysGroup } from './keys.js';
import { limitsCommand, subscribeCommand } from './limits.js';
import { loginCommand, logoutCommand, whoamiCommand } from './login.js';
import { marksGroup } from './marks.js';
import { orgsGroup } from './orgs.js';
import { resolveCommand } from './resolve.js';
import { statusCommand } from './status.js';
import { verifyCommand } from './verify.js';
import { visibilityCommand } from './visibility.js';

export const root: Group = {
  name: 'provenance',
  summary: 'register files, and find out whose a file is',
  description: 'Registers files, and finds out whose a file is, since when, and who says so.',
  commands: [
    hashCommand,
    registerCommand,
    verifyCommand,
    resolveCommand,
    statusCommand,
    bundleCommand,
    visibilityCommand,
    loginCommand,
    logoutCommand,
    whoamiCommand,
    marksGroup,
    keysGroup,
    orgsGroup,
    limitsCommand,
    subscribeCommand,
    configGroup,
    completionCommand(() => root),
    helpCommand(() => root),
  ],
};
