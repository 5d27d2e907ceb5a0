// From a command line to an exit code.

import { readFileSync } from 'node:fs';
import { type Command, type ExitCode, type Group, isGroup } from './command.js';
import { complaint, createContext, type World } from './context.js';
import { UsageError } from './errors.js';
import { asCommandError } from './explain.js';
import { help } from './help.js';
import { asksFor, checkCommonOptions, type Found, findCommand, readGiven } from './parse.js';
import { readSettings } from './settings.js';
import { text } from './text.js';

export interface Run {
  /** The command that is meant, if the line names one. */
  readonly command: Command | undefined;
  start(world: World): Promise<ExitCode>;
}

/** Says first which command it is, for how Ctrl-C ends it depends on that. */
export function prepare(root: Group, argv: readonly string[]): Run {
  try {
    const found = findCommand(root, argv);
    const command = isGroup(found.entry) ? undefined : found.entry;
    return { command, start: (world) => answer(world, argv, () => start(root, found, world)) };
  } catch (error) {
    return { command: undefined, start: (world) => answer(world, argv, () => Promise.reject(error)) };
  }
}

async function start(root: Group, found: Found, world: World): Promise<ExitCode> {
  const { entry, path, rest } = found;
  const isJson = asksFor(rest, ['json'], entry);
  if (asksFor(rest, ['help', 'h'], entry)) {
    const context = createContext(world, false, noSettings);
    context.print(await help(entry, path, context.columns));
    return 0;
  }
  if (entry === root && asksFor(rest, ['version', 'V'])) {
    createContext(world, isJson, noSettings).result({ version: version() }, text`${version()}`);
    return 0;
  }
  if (isGroup(entry)) {
    checkCommonOptions(found);
    const names = entry.commands.map(({ name }) => name).join(', ');
    throw new UsageError(`A command is missing after '${['provenance', ...path].join(' ')}': ${names}.`, path);
  }
  const given = await readGiven(entry, found);
  const context = createContext(world, isJson, async () => {
    const settings = await readSettings(given, world.env, world.cwd);
    for (const warning of settings.warnings) context.note(complaint(warning));
    return settings;
  });
  return entry.run(context, given);
}

function version(): string {
  const about: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const isSaid = typeof about === 'object' && about !== null && 'version' in about;
  return isSaid ? String(about.version) : 'unknown';
}

async function answer(world: World, argv: readonly string[], run: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await run();
  } catch (error) {
    const { code, exitCode, message } = await asCommandError(error);
    const context = createContext(world, asksFor(argv, ['json']), noSettings);
    context.result({ error: message, code });
    context.complain(message);
    if (error instanceof UsageError) context.complain(`see '${['provenance help', ...error.about].join(' ')}'.`);
    return exitCode;
  }
}

function noSettings(): Promise<never> {
  throw new Error('there are no settings outside of a command');
}
