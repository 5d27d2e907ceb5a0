// From command-line arguments to an exit code: finds the command, parses its arguments, runs it, prints its error.

import { type Command, type CommandGroup, isGroup } from './command.js';
import { createContext, formatWarning, type ProgramFormat } from './context.js';
import { UsageError } from './errors.js';
import type { ExitCode } from './exitCode.js';
import { prepareFetch } from './fetch.js';
import { parseFieldFormat } from './fieldFormat.js';
import { renderHelp } from './help.js';
import { flagName, type Values } from './options.js';
import { checkGlobalOptions, findCommand, hasOption, type MatchedCommand, parseValues } from './parse.js';
import type { ProcessIo } from './processIo.js';
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
    return { command, run: (io) => printErrors(io, argv, matched.path, () => runMatched(root, matched, io)) };
  } catch (error) {
    return { command: undefined, run: (io) => printErrors(io, argv, [], () => Promise.reject(error)) };
  }
}

async function runMatched(root: CommandGroup, matched: MatchedCommand, io: ProcessIo): Promise<ExitCode> {
  const { entry, path, rest, renaming } = matched;
  if (renaming !== undefined) createContext(io, undefined, rejectSettings).printNote(formatWarning(renaming));
  if (hasOption(rest, ['help', 'h'], entry)) {
    const context = createContext(io, undefined, rejectSettings);
    context.print(await renderHelp(entry, path, context.columns));
    return 0;
  }
  if (entry === root && hasOption(rest, ['version', 'V'])) {
    const version = readVersion();
    createContext(io, hasOption(rest, ['json']) ? 'json' : undefined, rejectSettings).printResult(
      { version },
      text`${version}`,
    );
    return 0;
  }
  if (isGroup(entry)) {
    checkGlobalOptions(matched);
    const listed = entry.sections ? Object.values(entry.sections).flat() : entry.commands;
    const names = listed.map(({ name }) => name).join(', ');
    throw new UsageError(`Missing command after '${['provenance', ...path].join(' ')}'. Available: ${names}.`, path);
  }
  const values = await parseValues(entry, matched);
  const context = createContext(io, await readFormat(values, path), async () => {
    const settings = await readSettings(values, io.env, io.cwd);
    // Commands that connect to anything read the settings first.
    await prepareFetch(io.env);
    for (const warning of settings.warnings) context.printNote(formatWarning(warning));
    return settings;
  });
  return (await entry.run(context, values)) ?? 0;
}

/** Reads how results are printed; undefined for text. Some commands have no `--json-lines` and `--csv`. */
async function readFormat(values: Values, path: readonly string[]): Promise<ProgramFormat | undefined> {
  const given = (['json', 'jsonLines', 'csv', 'format'] as const).filter((name) => values[name]);
  const [name, another] = given;
  if (another) throw new UsageError(`${given.map((one) => `--${flagName(one)}`).join(' and ')} cannot be combined.`);
  if (name !== 'format') return name;
  const format = parseFieldFormat(String(values[name]));
  // Loaded on demand: the schemas take longer to load than most commands.
  const { checkFields } = await import('./outputSchemas/fields.js');
  checkFields(format, path.join(' '));
  return format;
}

async function printErrors(
  io: ProcessIo,
  argv: readonly string[],
  path: readonly string[],
  run: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await run();
  } catch (error) {
    const { code, exitCode, message } = await toCommandError(error);
    // Also if the arguments could not be parsed.
    const isJson = hasOption(argv, ['json', 'json-lines']);
    const context = createContext(io, isJson ? 'json' : undefined, rejectSettings);
    context.printResult({ error: message, code });
    context.warn(message);
    if (error instanceof UsageError) {
      context.warn(`Run '${['provenance help', ...(error.helpPath ?? path)].join(' ')}' for usage.`);
    }
    return exitCode;
  }
}

function rejectSettings(): Promise<never> {
  throw new Error('settings are only available to commands');
}
