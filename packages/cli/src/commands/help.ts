// `help`: the same as `--help` after a command.

import { type Command, type CommandGroup, type CommandOrGroup, defineCommand, isGroup } from '../command.js';
import { UsageError } from '../errors.js';
import { renderHelp } from '../help.js';
import { findMember } from '../parse.js';
import { stripColors } from '../text.js';

/** Takes a function because the root group contains this command. */
export function createHelpCommand(getRoot: () => CommandGroup): Command {
  return defineCommand({
    name: 'help',
    summary: 'show help for a command',
    description: 'Shows what a command does, its arguments, options and examples.',
    arguments: {
      names: { label: 'COMMAND', summary: 'the command', many: true, optional: true, completion: 'commands' },
    },
    examples: {
      'provenance help verify': 'Help for verify',
      'provenance help marks create': 'Help for a command in a group',
    },
    async run(context, { names }) {
      let entry: CommandOrGroup = getRoot();
      for (const [index, name] of names.entries()) {
        const path = names.slice(0, index);
        if (!isGroup(entry)) throw new UsageError(`'${path.join(' ')}' has no subcommands.`, path);
        entry = findMember(entry, name, path);
      }
      const help = await renderHelp(entry, names, context.columns);
      context.printResult({ help: stripColors(help) }, help);
    },
  });
}
