// All commands, in the order of the help.

import type { CommandGroup } from '../command.js';
import { accountGroup } from './account/index.js';
import { bundleCommand } from './bundle.js';
import { claimsGroup } from './claims.js';
import { createCompletionCommand } from './completion.js';
import { configGroup } from './config.js';
import { filterCommand } from './filter.js';
import { hashCommand } from './hash.js';
import { createHelpCommand } from './help.js';
import { keysGroup } from './keys.js';
import { limitsCommand, subscribeCommand } from './limits.js';
import { listCommand } from './list.js';
import { loginCommand, logoutCommand, whoamiCommand } from './login.js';
import { lookalikesCommand } from './lookalikes.js';
import { marksGroup } from './marks.js';
import { mcpCommand } from './mcp.js';
import { orgsGroup } from './orgs.js';
import { registerCommand } from './register.js';
import { resolveCommand } from './resolve.js';
import { serviceGroup } from './service.js';
import { signCommand } from './sign.js';
import { statusCommand } from './status.js';
import { trustGroup } from './trust.js';
import { verifyCommand } from './verify.js';
import { visibilityCommand } from './visibility.js';

export const rootGroup: CommandGroup = {
  name: 'provenance',
  summary: 'register files and verify who registered them',
  description: 'Registers files in the content provenance registry, and verifies who registered a file and when.',
  commands: [
    hashCommand,
    registerCommand,
    serviceGroup,
    signCommand,
    verifyCommand,
    lookalikesCommand,
    resolveCommand,
    filterCommand,
    statusCommand,
    listCommand,
    bundleCommand,
    trustGroup,
    visibilityCommand,
    mcpCommand,
    loginCommand,
    logoutCommand,
    whoamiCommand,
    accountGroup,
    marksGroup,
    claimsGroup,
    keysGroup,
    orgsGroup,
    limitsCommand,
    subscribeCommand,
    configGroup,
    createCompletionCommand(() => rootGroup),
    createHelpCommand(() => rootGroup),
  ],
};
