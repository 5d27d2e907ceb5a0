// `account session`: where the account is logged in.

import { defineApiCommand } from '../../apiCommand.js';
import { type CommandGroup, defineCommand } from '../../command.js';
import { connectLoggedIn } from '../../connect.js';
import { UsageError } from '../../errors.js';
import { formatList, text } from '../../text.js';

const listCommand = defineApiCommand({
  name: 'list',
  summary: 'list your sessions',
  description: 'Lists the sessions that are neither ended nor expired, the most recently used first. * is this one.',
  examples: { 'provenance account session list': 'Where you are logged in' },
  request: (client) => client.listSessions(),
  format: (sessions) =>
    formatList(
      ['', 'ID', 'LOGGED IN', 'LAST USED', 'CLIENT'],
      sessions.map((item) => [
        item.current ? '*' : ' ',
        item.id,
        item.createdAt,
        item.lastUsedAt,
        item.userAgent ?? 'unknown',
      ]),
    ),
});

const endCommand = defineCommand({
  name: 'end',
  summary: 'end a session',
  description: "Ends a session: its token stops working immediately. 'account logout --everywhere' ends all of them.",
  arguments: { sessionId: { label: 'SESSION', summary: 'session ID', optional: true } },
  options: { others: { kind: 'flag', summary: 'end all sessions except this one' } },
  examples: {
    'provenance account session end "$SESSION_ID"': 'End a session',
    'provenance account session end --others': 'Log out on all other devices',
  },
  async run(context, { sessionId, others }) {
    if (others === (sessionId !== undefined)) {
      throw new UsageError('Either a session or --others is required.');
    }
    const client = await connectLoggedIn(context);
    if (sessionId === undefined) await client.endSessions({ keepCurrent: true });
    else await client.endSession({ sessionId });
    context.printResult(
      { sessionId: sessionId ?? null },
      sessionId === undefined ? text`All other sessions are ended.` : text`Session ended.`,
    );
  },
});

export const sessionGroup: CommandGroup = {
  name: 'session',
  summary: 'list and end your sessions',
  description: 'Shows where you are logged in, and ends sessions.',
  commands: [listCommand, endCommand],
};
