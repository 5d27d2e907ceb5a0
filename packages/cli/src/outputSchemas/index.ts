// What every command prints with `--json`. Loaded by tests and by the generator of the documentation; of commands, by `mcp` alone.

import { accountOutputs } from './accounts.js';
import type { CommandOutput } from './common.js';
import { fileOutputs } from './files.js';
import { filterOutput } from './filter.js';
import { lookalikeOutputs } from './lookalikes.js';
import { serviceOutputs } from './service.js';
import { verifyOutput } from './verification.js';

export { CommandFailure } from './common.js';

/** Outputs by the names of the command: `marks list`. */
export const commandOutputs: Readonly<Record<string, CommandOutput>> = {
  ...fileOutputs,
  filter: filterOutput,
  ...lookalikeOutputs,
  verify: verifyOutput,
  ...serviceOutputs,
  ...accountOutputs,
};
