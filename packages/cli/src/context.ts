// What a command has of the world: where it reads and writes, how it says things, and when it must end.

import type { Readable } from 'node:stream';
import { type Progress, type ProgressOptions, type ScreenLine, showProgress } from './progress.js';
import type { Settings } from './settings.js';
import { type Text, text, visible, withoutColours } from './text.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where text goes: a process's stdout or stderr. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface Input extends Readable {
  readonly isTTY?: boolean;
  setRawMode?(on: boolean): unknown;
}

/** Longer lines are hard to read. */
const MAX_COLUMNS = 100;

export interface World {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  readonly cwd: string;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface Context extends Omit<World, 'stdout' | 'stderr'> {
  readonly json: boolean;
  /** How long a line on stdout should be at most. */
  readonly columns: number;
  /** From flags, environment and configuration; read when first asked for. */
  settings(): Promise<Settings>;
  /** The command's answer on stdout, once: with `--json` the value, otherwise the text if there is still one to print. */
  result(value: unknown, forPeople?: Text): void;
  /** A line of a longer answer on stdout as soon as it is known; says nothing with `--json`. */
  print(line: Text): void;
  /** A line on stderr, whatever becomes of stdout. */
  note(line: Text): void;
  /** What went wrong with a part of the work, on stderr; with `--json` the answer says it. */
  complain(message: string): void;
  /** A line on stderr for somebody who is watching; nothing when stderr is no terminal, or with `--json`. */
  hint(line: Text): void;
  /** A line on stderr that redraws itself; shows nothing when stderr is no terminal. */
  progress(options: ProgressOptions): Progress;
}

export function createContext(world: World, json: boolean, settings: () => Promise<Settings>): Context {
  const { stdout, stderr, env } = world;
  const live: { line?: ScreenLine | undefined } = {};

  /** The line that redraws itself gives way to what stays, and comes back with its next news. */
  function write(output: Output, line: string): void {
    if (output.isTTY) live.line?.clear();
    output.write(`${line}\n`);
  }

  return {
    ...world,
    json,
    columns: Math.min((stdout.isTTY && stdout.columns) || MAX_COLUMNS, MAX_COLUMNS),
    settings: once(settings),
    result(value, forPeople) {
      if (json) write(stdout, jsonText(value, stdout.isTTY ? 2 : 0));
      else if (forPeople) write(stdout, painted(forPeople, stdout, env));
    },
    print(line) {
      if (!json) write(stdout, painted(line, stdout, env));
    },
    note(line) {
      write(stderr, painted(line, stderr, env));
    },
    complain(message) {
      if (!json) write(stderr, painted(complaint(message), stderr, env));
    },
    hint(line) {
      if (stderr.isTTY && !json) write(stderr, painted(line, stderr, env));
    },
    progress(options) {
      return showProgress(stderr, options, live);
    },
  };
}

/** The same value, without what a terminal would obey. */
function jsonText(value: unknown, indent: number): string {
  return JSON.stringify(value, undefined, indent).split('\n').map(visible).join('\n');
}

/** Colours only for somebody who sees them, and wants them (https://no-color.org). */
function painted(written: Text, output: Output, env: Environment): string {
  const inColour = output.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  return inColour ? written.toString() : withoutColours(written);
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** `provenance: …` on stderr. */
export function complaint(message: string): Text {
  return text`provenance: ${message}`;
}
