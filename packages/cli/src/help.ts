// Renders help from the declarations of commands.

import { type Command, type CommandGroup, type CommandOrGroup, isGroup } from './command.js';
import { type Arguments, flagName, globalOptions, loadChoices, type Option, type Options } from './options.js';
import { bold, joinLines, type Piece, type Text, text, wrapText } from './text.js';

export async function renderHelp(entry: CommandOrGroup, path: readonly string[], columns: number): Promise<Text> {
  return isGroup(entry) ? renderGroupHelp(entry, path, columns) : renderCommandHelp(entry, path, columns);
}

async function renderGroupHelp(group: CommandGroup, path: readonly string[], columns: number): Promise<Text> {
  const sections = Object.entries(group.sections ?? { Commands: group.commands });
  const nameColumns = longestName(sections.flatMap(([, commands]) => commands.map(({ name }) => name)));
  return joinLines([
    wrapText(group.description, columns),
    '',
    text`${bold('Usage:')} ${['provenance', ...path].join(' ')} COMMAND`,
    ...sections.flatMap(([title, commands]) =>
      renderSection(
        `${title}:`,
        commands.map(({ name, summary }) => [name, summary] as const),
        columns,
        nameColumns,
      ),
    ),
    '',
    `Run '${['provenance help', ...path].join(' ')} COMMAND' for more information on a command.`,
    ...(path.length > 0 ? [] : ["Run 'provenance help completion' to complete commands in your shell."]),
    ...(path.length > 0 ? [] : renderSection('Global options:', await optionRows(globalOptions), columns)),
  ]);
}

async function renderCommandHelp(command: Command, path: readonly string[], columns: number): Promise<Text> {
  const { arguments: args = {}, options = {}, examples } = command;
  return joinLines([
    wrapText(command.description, columns),
    '',
    text`${bold('Usage:')} ${usageLine(command, path)}`,
    ...renderSection('Arguments:', await argumentRows(args), columns),
    ...renderSection('Options:', await optionRows(options), columns),
    ...renderSection('Global options:', await optionRows(globalOptions), columns),
    '',
    bold('Examples:'),
    ...Object.entries(examples).map(([line, meaning]) => text`  ${meaning}\n    ${bold(line)}`),
  ]);
}

/** `provenance hash [OPTIONS] FILE...` */
export function usageLine({ arguments: args = {} }: Command, path: readonly string[]): string {
  const placeholders = Object.values(args).map(({ label, optional, many }) => {
    const placeholder = many ? `${label}...` : label;
    return optional ? `[${placeholder}]` : placeholder;
  });
  return ['provenance', ...path, '[OPTIONS]', ...placeholders].join(' ');
}

export type HelpRow = readonly [name: string, meaning: string];

export function argumentRows(args: Arguments): Promise<HelpRow[]> {
  return Promise.all(
    Object.values(args).map(async (argument) => [argument.label, await summaryWithChoices(argument)] as const),
  );
}

export function optionRows(options: Options): Promise<HelpRow[]> {
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
function renderSection(
  title: string,
  rows: readonly HelpRow[],
  columns: number,
  nameColumns = longestName(rows.map(([name]) => name)),
): Piece[] {
  if (rows.length === 0) return [];
  const rendered = rows.map(([name, meaning]) => {
    const padding = ' '.repeat(nameColumns + 2 - name.length);
    return text`  ${bold(name)}${padding}${wrapText(meaning, columns, nameColumns + 4)}`;
  });
  return ['', bold(title), ...rendered];
}

function longestName(names: readonly string[]): number {
  return Math.max(...names.map(({ length }) => length));
}
