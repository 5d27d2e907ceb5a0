// What a command gets to work with: its input, its settings, and how it prints results, notes and progress.

import { once } from 'node:events';
import { type CsvCell, formatCsvLine } from './csv.js';
import { type FieldFormat, formatFieldsOf } from './fieldFormat.js';
import type { ProcessIo } from './processIo.js';
import { type Progress, type ProgressOptions, type Screen, startProgress } from './progress.js';
import type { Settings } from './settings.js';
import { escapeControls, stripColors, type Text, text } from './text.js';

/** Longer lines are hard to read. */
const MAX_COLUMNS = 100;

/** How results are printed for programs. `json`: one document. `jsonLines`: an object a line. */
export type ProgramFormat = 'json' | 'jsonLines' | 'csv' | FieldFormat;
export type Context = ReturnType<typeof createContext>;

export function createContext(io: ProcessIo, format: ProgramFormat | undefined, readSettings: () => Promise<Settings>) {
  const { stdout, stderr, env, cwd, signal, onInterruptKey, readRawArguments, program } = io;
  const isJson = format === 'json' || format === 'jsonLines';
  const isForPeople = format === undefined;
  const screen: Screen = {};
  let settings: Promise<Settings> | undefined;

  /** Removes the progress line first; its next update draws it again below. */
  function writeLine(output: ProcessIo['stdout'], line: string): void {
    if (output.isTTY) screen.clearProgress?.();
    output.write(`${line}\n`);
  }

  function writeText(output: ProcessIo['stdout'], written: Text): void {
    // See https://no-color.org.
    const hasColors = output.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
    writeLine(output, hasColors ? written.toString() : stripColors(written));
  }

  return {
    ...{ env, cwd, signal, onInterruptKey, readRawArguments, program },
    /** Opened when it is read. */
    get stdin() {
      return io.stdin;
    },
    /** Streams for prompts and protocols; everything else is printed by the functions below. */
    get streams() {
      return { stdin: io.stdin, stdout, stderr };
    },
    format,
    /** No program reads the results: text is printed, and questions may be asked. */
    isForPeople,
    /** Whether a person sees the progress. */
    isInteractive: stderr.isTTY === true,
    /** The longest line to print on stdout. */
    columns: Math.min((stdout.isTTY && stdout.columns) || MAX_COLUMNS, MAX_COLUMNS),
    /** Settings from flags, environment and configuration file, read on the first call. */
    loadSettings(): Promise<Settings> {
      settings ??= readSettings();
      return settings;
    },
    /** Reads the settings again, for commands that run for months. */
    reloadSettings(): Promise<Settings> {
      settings = readSettings();
      return settings;
    },
    /**
     * Prints a result on stdout: `value` with `--json` or `--format`, otherwise the text, if any. A command prints one
     * result with `--json`; with `--json-lines` and `--format`, possibly one of many.
     */
    printResult(value: unknown, forHumans?: Text): void {
      if (isJson) writeLine(stdout, formatJson(value, stdout.isTTY && format === 'json' ? 2 : 0));
      else if (typeof format === 'object')
        for (const item of [value].flat()) writeText(stdout, formatFieldsOf(item, format));
      else if (forHumans) writeText(stdout, forHumans);
    },
    printCsvLine(cells: readonly CsvCell[]): void {
      writeLine(stdout, formatCsvLine(cells));
    },
    /** Resolves when the reader of stdout takes more: what it has not read must not pile up in memory. */
    async flush(): Promise<void> {
      if (stdout.writableNeedDrain) await once(stdout, 'drain');
    },
    /** Prints a part of the result on stdout as soon as it is known; nothing for programs. */
    print(line: Text): void {
      if (isForPeople) writeText(stdout, line);
    },
    /** Prints results on stdout that have their final form, one a line. */
    printLines(lines: Text): void {
      writeText(stdout, lines);
    },
    /** Prints a line on stderr, also with `--json`. */
    printNote(line: Text): void {
      writeText(stderr, line);
    },
    /** Prints on stderr what failed for a part of the work; nothing with `--json`, whose result includes it. */
    warn(message: string): void {
      if (!isJson) writeText(stderr, formatWarning(message));
    },
    /** Prints a line on stderr if it is a terminal; nothing for programs. */
    printHint(line: Text): void {
      if (stderr.isTTY && isForPeople) writeText(stderr, line);
    },
    /** Shows a progress line on stderr if it is a terminal. */
    showProgress(options: ProgressOptions): Progress {
      return startProgress(stderr, options, screen);
    },
  };
}

/** Escapes control characters, so that a terminal does not interpret them. */
function formatJson(value: unknown, indent: number): string {
  return JSON.stringify(value, undefined, indent).split('\n').map(escapeControls).join('\n');
}

export function formatWarning(message: string): Text {
  return text`provenance: ${message}`;
}
