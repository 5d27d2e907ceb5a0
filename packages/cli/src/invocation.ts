// From command-line arguments to an exit code: finds the command, parses its arguments, runs it, prints its error.

import { type Command, type CommandGroup, type CommandOrGroup, isGroup } from './command.js';
import { createContext, formatWarning, type JsonFormat } from './context.js';
import { UsageError } from './errors.js';
import type { ExitCode } from './exitCode.js';
import { renderHelp } from './help.js';
import { checkGlobalOptions, findCommand, hasOption, type MatchedCommand, parseValues } from './parse.js';
import type { ProcessIo } from './processIo.js';
import { useProxies } from './proxies.js';
import { readSettings } from './settings.js';
import { text } from './text.js';
import { toCommandError } from './toCommandError.js';
import { readVersion } from './version.js';

export interface Invocation {
  readonly command: Command | undefined;
  run(io: ProcessIo): Promise<ExitCode>;
}

/** Finds the command before running it, because Ctrl-C is handled differently for some commands. */
export function prepareInvocation(root: CommandGroup, argv: readonly string[]): Invocation {
  try {
    const matched = findCommand(root, argv);
    const command = isGroup(matched.entry) ? undefined : matched.entry;
    return { command, run: (io) => printErrors(io, argv, () => runMatched(root, matched, io)) };
  } catch (error) {
    return { command: undefined, run: (io) => printErrors(io, argv, () => Promise.reject(error)) };
  }
}

async function runMatched(root: CommandGroup, matched: MatchedCommand, io: ProcessIo): Promise<ExitCode> {
  const { entry, path, rest } = matched;
  const format = jsonFormat(rest, entry);
  if (hasOption(rest, ['help', 'h'], entry)) {
    const context = createContext(io, undefined, rejectSettings);
    context.print(await renderHelp(entry, path, context.columns));
    return 0;
  }
  if (entry === root && hasOption(rest, ['version', 'V'])) {
    const version = readVersion();
    createContext(io, format, rejectSettings).printResult({ version }, text`${version}`);
    return 0;
  }
  if (isGroup(entry)) {
    checkGlobalOptions(matched);
    const names = entry.commands.map(({ name }) => name).join(', ');
    throw new UsageError(`Missing command after '${['provenance', ...path].join(' ')}'. Available: ${names}.`, path);
  }
  const values = await parseValues(entry, matched);
  const context = createContext(io, format, async () => {
    const settings = await readSettings(values, io.env, io.cwd);
    // Commands that connect to anything read the settings first.
    await useProxies(io.env);
    for (const warning of settings.warnings) context.printNote(formatWarning(warning));
    return settings;
  });
  return (await entry.run(context, values)) ?? 0;
}

/** Undefined for text. */
function jsonFormat(argv: readonly string[], entry?: CommandOrGroup): JsonFormat | undefined {
  if (hasOption(argv, ['json'], entry)) return 'json';
  return hasOption(argv, ['json-lines'], entry) ? 'json-lines' : undefined;
}

async function printErrors(io: ProcessIo, argv: readonly string[], run: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await run();
  } catch (error) {
    const { code, exitCode, message } = await toCommandError(error);
    const context = createContext(io, jsonFormat(argv), rejectSettings);
    context.printResult({ error: message, code });
    context.warn(message);
    if (error instanceof UsageError) {
      context.warn(`Run '${['provenance help', ...error.helpPath].join(' ')}' for usage.`);
    }
    return exitCode;
  }
}

function rejectSettings(): Promise<never> {
  throw new Error('settings are only available to commands');
}
