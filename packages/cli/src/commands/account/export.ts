// `account export`: saves everything that the service has stored about the account.

import { resolve } from 'node:path';
import { defineCommand } from '../../command.js';
import { connectLoggedIn } from '../../connect.js';
import { reserveOutput } from '../../outputFile.js';
import { text } from '../../text.js';
import { toBytePath } from '../../walk/paths.js';

const DEFAULT_FILE = 'account-export.json';
/** It has personal data. */
const OWNER_ONLY = 0o600;

export const exportCommand = defineCommand({
  name: 'export',
  summary: 'save a copy of your data',
  description:
    'Saves everything that the service has stored about you as JSON: account, sessions, organizations, Marks, API keys, ' +
    'invitations, events and all files that you registered. It also says what stays when you close your account.',
  options: {
    output: {
      short: 'o',
      label: 'FILE',
      summary: `output file, which only you can read (default: ${DEFAULT_FILE})`,
      completion: 'files',
    },
    force: { kind: 'flag', short: 'f', summary: 'overwrite an existing file' },
  },
  examples: { 'provenance account export --output ada.json': 'Save your data' },
  async run(context, { output: path = DEFAULT_FILE, force }) {
    const client = await connectLoggedIn(context);
    const file = await reserveOutput(toBytePath(resolve(context.cwd, path)), path, force, OWNER_ONLY);
    try {
      await file.save(await client.exportAccount());
    } finally {
      await file.discard();
    }
    context.printResult({ file: path }, text`${path}`);
  },
});
