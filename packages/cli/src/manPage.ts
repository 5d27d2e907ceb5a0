// Renders the manual page provenance(1) from the declarations of commands. `scripts/bundle.mjs` writes it into the package.

import { type Command, type CommandGroup, type CommandOrGroup, isGroup } from './command.js';
import { exitCodeMeanings } from './exitCode.js';
import { argumentRows, type HelpRow, optionRows, usageLine } from './help.js';
import { globalOptions } from './options.js';
import { settingSources } from './settings.js';

export async function renderManPage(root: CommandGroup, version: string): Promise<string> {
  const sections: string[][] = [];
  for (const [title, entries] of Object.entries(root.sections ?? { Commands: root.commands })) {
    sections.push([`.SH COMMANDS FOR ${title.toUpperCase()}`]);
    for (const entry of entries) sections.push(await renderEntry(entry, [entry.name]));
  }
  const variables = Object.values(settingSources).map(({ variable }) => variable);
  const lines = [
    `.TH PROVENANCE 1 "" "provenance ${version}" "User Commands"`,
    '.SH NAME',
    `provenance \\- ${escapeRoff(root.summary)}`,
    '.SH SYNOPSIS',
    '.B provenance',
    '\\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]',
    '.SH DESCRIPTION',
    escapeRoff(root.description),
    ...sections.flat(),
    '.SH GLOBAL OPTIONS',
    ...renderRows(await optionRows(globalOptions)),
    '.SH EXIT STATUS',
    ...renderRows(Object.entries(exitCodeMeanings)),
    '.SH ENVIRONMENT',
    `${escapeRoff([...variables, 'PROVENANCE_PROFILE'].join(', '))}: settings, as`,
    '.B provenance config show',
    'lists them.',
    '.SH FILES',
    '.I ~/.config/provenance/config.json',
  ];
  return `${lines.join('\n')}\n`;
}

async function renderEntry(entry: CommandOrGroup, path: readonly string[]): Promise<string[]> {
  if (!isGroup(entry)) return renderCommand(entry, path);
  const members = entry.commands.map((member) => renderEntry(member, [...path, member.name]));
  return (await Promise.all(members)).flat();
}

async function renderCommand(command: Command, path: readonly string[]): Promise<string[]> {
  const { arguments: args = {}, options = {}, description, examples } = command;
  return [
    `.SS ${escapeRoff(usageLine(command, path))}`,
    escapeRoff(description),
    ...renderRows([...(await argumentRows(args)), ...(await optionRows(options))]),
    ...Object.entries(examples).flatMap(([line, meaning]) => [
      '.PP',
      `${escapeRoff(meaning)}:`,
      '.EX',
      escapeRoff(`    ${line}`),
      '.EE',
    ]),
  ];
}

function renderRows(rows: readonly HelpRow[]): string[] {
  return rows.flatMap(([name, meaning]) => ['.TP', `\\fB${escapeRoff(name.trim())}\\fR`, escapeRoff(meaning)]);
}

/** A line that starts with a dot or an apostrophe would be a request; a hyphen is a minus, which can be copied. */
function escapeRoff(words: string): string {
  const escaped = words.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/^[.']/, '\\&$&');
  return escaped.replaceAll(/[^ -~]/gu, (character) => `\\[u${toHex(character)}]`);
}

function toHex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
