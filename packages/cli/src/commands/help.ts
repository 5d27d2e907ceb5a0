// `help`: the same as `--help` behind a command.

import { type Command, command, type Entry, type Group, isGroup } from '../command.js';
import { UsageError } from '../errors.js';
import { help } from '../help.js';
import { member } from '../parse.js';
import { withoutColours } from '../text.js';

export function helpCommand(root: () => Group): Command {
  return command({
    name: 'help',
    summary: 'help on a command',
    description: 'Shows what a command does, its arguments and options, and examples.',
    arguments: {
      names: { label: 'COMMAND', summary: 'the command', many: true, optional: true, completion: 'commands' },
    },
    examples: [
      { run: 'provenance help verify', meaning: 'Help on verify' },
      { run: 'provenance help marks create', meaning: 'Help on a command in a group' },
    ],
    async run(context, { names }) {
      let entry: Entry = root();
      for (const [index, name] of names.entries()) {
        const path = names.slice(0, index);
        if (!isGroup(entry)) throw new UsageError(`There are no commands under '${path.join(' ')}'.`, path);
        entry = member(entry, name, path);
      }
      const shown = await help(entry, names, context.columns);
      context.result({ help: withoutColours(shown) }, shown);
      return 0;
    },
  });
}
