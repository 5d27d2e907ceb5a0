// Renders help from the declarations of commands.

import { type Command, type CommandGroup, type CommandOrGroup, isGroup } from './command.js';
import { flagName, globalOptions, loadChoices, type Option, type Options } from './options.js';
import { bold, joinLines, type Piece, type Text, text, wrapText } from './text.js';

export async function renderHelp(entry: CommandOrGroup, path: readonly string[], columns: number): Promise<Text> {
  return isGroup(entry) ? renderGroupHelp(entry, path, columns) : renderCommandHelp(entry, path, columns);
}

async function renderGroupHelp(group: CommandGroup, path: readonly string[], columns: number): Promise<Text> {
  const names = group.commands.map(({ name, summary }) => [name, summary] as const);
  return joinLines([
    wrapText(group.description, columns),
    '',
    text`${bold('Usage:')} ${['provenance', ...path].join(' ')} COMMAND`,
    ...renderSection('Commands:', names, columns),
    '',
    `Run '${['provenance help', ...path].join(' ')} COMMAND' for more information on a command.`,
    ...(path.length > 0 ? [] : renderSection('Global options:', await optionRows(globalOptions), columns)),
  ]);
}

async function renderCommandHelp(command: Command, path: readonly string[], columns: number): Promise<Text> {
  const { arguments: args = {}, options = {}, examples } = command;
  const argumentRows = Object.values(args).map(
    async (argument) => [argument.label, await summaryWithChoices(argument)] as const,
  );
  return joinLines([
    wrapText(command.description, columns),
    '',
    text`${bold('Usage:')} ${usageLine(command, path)}`,
    ...renderSection('Arguments:', await Promise.all(argumentRows), columns),
    ...renderSection('Options:', await optionRows(options), columns),
    ...renderSection('Global options:', await optionRows(globalOptions), columns),
    '',
    bold('Examples:'),
    ...Object.entries(examples).map(([line, meaning]) => text`  ${meaning}\n    ${bold(line)}`),
  ]);
}

/** `provenance hash [OPTIONS] FILE...` */
function usageLine({ arguments: args = {} }: Command, path: readonly string[]): string {
  const placeholders = Object.values(args).map(({ label, optional, many }) => {
    const placeholder = many ? `${label}...` : label;
    return optional ? `[${placeholder}]` : placeholder;
  });
  return ['provenance', ...path, '[OPTIONS]', ...placeholders].join(' ');
}

type HelpRow = readonly [name: string, meaning: string];

function optionRows(options: Options): Promise<HelpRow[]> {
  return Promise.all(
    Object.entries(options).map(async ([name, option]) => {
      const { kind, short, label = 'VALUE' } = option;
      const names = `${short === undefined ? '    ' : `-${short}, `}--${flagName(name)}`;
      return [kind === 'flag' ? names : `${names} ${label}`, await summaryWithChoices(option)] as const;
    }),
  );
}

async function summaryWithChoices({ summary, choices }: Pick<Option, 'summary' | 'choices'>): Promise<string> {
  return choices ? `${summary}: ${(await loadChoices(choices)).join(', ')}` : summary;
}

/** A title and two columns below it; empty when there are no rows. */
function renderSection(title: string, rows: readonly HelpRow[], columns: number): Piece[] {
  if (rows.length === 0) return [];
  const nameColumns = Math.max(...rows.map(([name]) => name.length)) + 2;
  const rendered = rows.map(([name, meaning]) => {
    const padding = ' '.repeat(nameColumns - name.length);
    return text`  ${bold(name)}${padding}${wrapText(meaning, columns, nameColumns + 2)}`;
  });
  return ['', bold(title), ...rendered];
}
