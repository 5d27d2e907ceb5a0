// `help`: the same as `--help` after a command.

import { type Command, type CommandGroup, defineCommand } from '../command.js';
import { UsageError } from '../errors.js';
import { renderHelp } from '../help.js';
import { findCommand } from '../parse.js';
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
      'provenance help mark create': 'Help for a command in a group',
    },
    async run(context, { names }) {
      const { entry, path, rest } = findCommand(getRoot(), names);
      if (rest.length > 0) throw new UsageError(`'${path.join(' ')}' has no subcommands.`, path);
      const help = await renderHelp(entry, path, context.columns);
      context.printResult({ help: stripColors(help) }, help);
    },
  });
}
