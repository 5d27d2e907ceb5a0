// What every command prints with `--json`. Loaded by `mcp`, with `--format`, by tests and by the generator of the documentation.

import { accountOutputs } from './accounts.js';
import type { CommandOutput } from './common.js';
import { fileOutputs } from './files.js';
import { filterOutput } from './filter.js';
import { lookalikeOutputs } from './lookalikes.js';
import { monitorOutput } from './monitor.js';
import { verifyOutput } from './verification.js';
import { watchOutputs } from './watch.js';

export { CommandFailure } from './common.js';

/** Outputs by the names of the command: `mark list`. */
export const commandOutputs: Readonly<Record<string, CommandOutput>> = {
  ...fileOutputs,
  'file filter': filterOutput,
  ...lookalikeOutputs,
  'log monitor': monitorOutput,
  verify: verifyOutput,
  ...watchOutputs,
  ...accountOutputs,
};
