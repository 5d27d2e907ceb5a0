// `file`: registered files, one by one.

import type { CommandGroup } from '../command.js';
import { bundleCommand } from './bundle.js';
import { filterCommand } from './filter.js';
import { listCommand } from './list.js';
import { lookalikesCommand } from './lookalikes.js';
import { mcpCommand } from './mcp.js';
import { signCommand } from './sign.js';
import { statusCommand } from './status.js';
import { visibilityCommand } from './visibility.js';

export const fileGroup: CommandGroup = {
  name: 'file',
  summary: 'list, sign and bundle registered files, find look-alikes',
  description:
    'Works with registered files: their status, signed copies, evidence, visibility and look-alikes, and lets agents work with files.',
  commands: [
    listCommand,
    statusCommand,
    signCommand,
    bundleCommand,
    visibilityCommand,
    lookalikesCommand,
    filterCommand,
    mcpCommand,
  ],
};
