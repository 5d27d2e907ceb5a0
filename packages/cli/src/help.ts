// Help, made from the table of commands.

import {
  type Command,
  commonOptions,
  type Entry,
  flagName,
  type Group,
  isGroup,
  type Option,
  type Options,
} from './command.js';
import { wordsOf } from './parse.js';
import { bold, lines, type Piece, paragraph, type Text, text } from './text.js';

export async function help(entry: Entry, path: readonly string[], columns: number): Promise<Text> {
  return isGroup(entry) ? groupHelp(entry, path, columns) : commandHelp(entry, path, columns);
}

async function groupHelp(group: Group, path: readonly string[], columns: number): Promise<Text> {
  const names = group.commands.map(({ name, summary }) => [name, summary] as const);
  return lines([
    paragraph(group.description, columns),
    '',
    text`${bold('Usage:')} ${['provenance', ...path].join(' ')} COMMAND`,
    ...part('Commands:', names, columns),
    '',
    `'${['provenance help', ...path].join(' ')} COMMAND' tells more about a command.`,
    ...(path.length > 0 ? [] : part('Options of every command:', await optionLines(commonOptions), columns)),
  ]);
}

async function commandHelp(command: Command, path: readonly string[], columns: number): Promise<Text> {
  const { arguments: args = {}, options = {}, examples } = command;
  const explained = Object.values(args).map(async (argument) => [argument.label, await summaryOf(argument)] as const);
  return lines([
    paragraph(command.description, columns),
    '',
    text`${bold('Usage:')} ${usage(command, path)}`,
    ...part('Arguments:', await Promise.all(explained), columns),
    ...part('Options:', await optionLines(options), columns),
    ...part('Options of every command:', await optionLines(commonOptions), columns),
    '',
    bold('Examples:'),
    ...examples.map(({ run, meaning }) => text`  ${meaning}\n    ${bold(run)}`),
  ]);
}

/** `provenance hash [OPTIONS] FILE...` */
function usage({ arguments: args = {} }: Command, path: readonly string[]): string {
  const places = Object.values(args).map(({ label, optional, many }) => {
    const place = many ? `${label}...` : label;
    return optional ? `[${place}]` : place;
  });
  return ['provenance', ...path, '[OPTIONS]', ...places].join(' ');
}

type Row = readonly [name: string, meaning: string];

function optionLines(options: Options): Promise<Row[]> {
  return Promise.all(
    Object.entries(options).map(async ([name, option]) => {
      const { kind, short, label = 'VALUE' } = option;
      const names = `${short === undefined ? '    ' : `-${short}, `}--${flagName(name)}`;
      return [kind === 'flag' ? names : `${names} ${label}`, await summaryOf(option)] as const;
    }),
  );
}

async function summaryOf({ summary, choices }: Pick<Option, 'summary' | 'choices'>): Promise<string> {
  return choices ? `${summary}: ${(await wordsOf(choices)).join(', ')}` : summary;
}

/** A title and what stands under it, in two columns; nothing when there is nothing. */
function part(title: string, rows: readonly Row[], columns: number): Piece[] {
  if (rows.length === 0) return [];
  const room = Math.max(...rows.map(([name]) => name.length)) + 2;
  const shown = rows.map(([name, meaning]) => {
    return text`  ${bold(name)}${' '.repeat(room - name.length)}${paragraph(meaning, columns, room + 2)}`;
  });
  return ['', bold(title), ...shown];
}
