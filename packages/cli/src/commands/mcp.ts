// `file mcp`: lets an agent look up and verify files, as a server of the Model Context Protocol.

import { defineCommand } from '../command.js';
import { UsageError } from '../errors.js';
import { markOption } from '../names.js';
import { readVersion } from '../version.js';

export const mcpCommand = defineCommand({
  name: 'mcp',
  summary: 'let an agent look up and verify files',
  description:
    'Serves the Model Context Protocol on standard input and output, until standard input closes. The client of an agent ' +
    'starts it. Tools look files up, verify them, read Artifacts and list look-alikes. The agent may name files in the ' +
    'folders given here, and no others; hidden files are refused. Without --allow-register, no token is used. ' +
    'With it, and a token, a further tool registers files, which is public and cannot be taken back.',
  arguments: {
    folders: {
      label: 'FOLDER',
      summary: 'folders whose files the agent may name (default: the working directory)',
      optional: true,
      many: true,
      completion: 'files',
    },
  },
  options: {
    allowRegister: { kind: 'flag', summary: 'with a token: let the agent register files' },
    mark: { ...markOption, summary: 'Mark that files are registered under, unless the agent names another' },
  },
  examples: {
    'provenance file mcp photos': 'Let an agent verify the files in a folder',
    'provenance file mcp photos --allow-register --mark "$MARK_ID"': 'Also let it register them',
  },
  printsNoResult: true,
  async run(context, { folders, allowRegister, mark }) {
    if (!context.isForPeople)
      throw new UsageError('Standard output carries the protocol: there is neither --json nor --format.');
    const { serveMcp } = await import('../mcp/server.js');
    await serveMcp(context, { folders, allowRegister, mark, version: readVersion() });
  },
});
