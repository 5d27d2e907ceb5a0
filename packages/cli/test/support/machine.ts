// Runs the built command: in the process of the test, or as a process where that is what is tested, with pipes or in a
// terminal.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import type { Invocation } from '../../src/invocation.js';
import { parseCommandLine } from './commandLine.js';
import { checkOutput } from './outputChecks.js';

export const main = fileURLToPath(new URL('../../bundle/main.js', import.meta.url));
/** The bundle: loaded once for all files of a worker, beside the files that its workers run. */
const programModule = new URL('../../bundle/program.js', import.meta.url).href;

const TERMINAL_COLUMNS = 100;

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

export interface ProcessResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Running {
  /** Resolves when the text is in the output so far. */
  waitForOutput(text: string): Promise<void>;
  type(text: string): void;
  /** Stdout so far. */
  output(): string;
  readonly end: Promise<ProcessResult>;
}

export interface RunningProcess extends Running {
  readonly process: ChildProcessWithoutNullStreams;
}

/** A command in the process of the test. */
export interface RunningCommand extends Running {
  readonly stdin: PassThrough;
  /** Stderr so far. */
  errors(): string;
  /** Ctrl-C; throws unless the command finishes its work then. */
  interrupt(): void;
}

export interface StartOptions {
  /** Stdin and the outputs are a terminal, where stdout includes stderr. */
  readonly isTerminal?: boolean;
  /** Arguments that are not UTF-8, as the system has them. */
  readonly rawArguments?: readonly Buffer[];
  /** Gets stdout, besides the result. */
  readonly onStdout?: (text: string) => void;
}

/** A user's machine: a home folder, which is also the working folder at first, and environment variables. */
export class Machine {
  private constructor(
    readonly home: string,
    readonly env: Readonly<Record<string, string>>,
    private readonly cwd = home,
    private readonly isProcess = false,
  ) {}

  static async create(env: Readonly<Record<string, string>> = {}): Promise<Machine> {
    const home = await mkdtemp(join(tmpdir(), 'provenance-cli-'));
    folders.push(home);
    // Added to PATH, so that `provenance` is found by its name. EXTRA_ARGUMENTS changes a command line that is run as it stands.
    const command = join(home, '.bin', 'provenance');
    await writeFile(
      await withParentFolder(command),
      `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@" $EXTRA_ARGUMENTS\n`,
    );
    await chmod(command, 0o755);
    return new Machine(home, env);
  }

  /** The same home folder with additional variables. */
  with(env: Readonly<Record<string, string>>): Machine {
    return new Machine(this.home, { ...this.env, ...env }, this.cwd, this.isProcess);
  }

  /** The same home folder with one of its folders as the working folder. */
  in(folder: string): Machine {
    return new Machine(this.home, this.env, join(this.home, folder), this.isProcess);
  }

  /** The same machine, whose commands each run as a process: for variables that Node reads, or that change it. */
  withProcesses(): Machine {
    return new Machine(this.home, this.env, this.cwd, true);
  }

  get config(): string {
    return join(this.home, '.config', 'provenance', 'config.json');
  }

  async file(name: string, content: string | Uint8Array): Promise<string> {
    await writeFile(await withParentFolder(join(this.home, name)), content);
    return name;
  }

  /** Runs `provenance` in this process, unless it is a machine with processes. */
  run(args: readonly string[], input: string | Uint8Array = ''): Promise<ProcessResult> {
    if (this.isProcess) return this.#runProcess(args, input);
    const running = this.start(args);
    running.stdin.end(input);
    return running.end;
  }

  /** Starts `provenance` in this process; its stdin stays open. */
  start(
    args: readonly string[],
    { isTerminal = false, rawArguments = [], onStdout }: StartOptions = {},
  ): RunningCommand {
    const recorder = new OutputRecorder();
    const interrupt = new AbortController();
    const terminal = isTerminal && { isTTY: true, columns: TERMINAL_COLUMNS };
    const stdin = Object.assign(new PassThrough(), isTerminal && { isTTY: true });
    const openOutput = (name: 'stdout' | 'stderr') =>
      Object.assign(
        new Writable({
          decodeStrings: false,
          write(chunk, _encoding, onWritten) {
            recorder.add(isTerminal ? 'stdout' : name, String(chunk));
            if (name === 'stdout') onStdout?.(String(chunk));
            onWritten();
          },
        }),
        terminal,
      );
    const io = {
      stdin,
      stdout: openOutput('stdout'),
      stderr: openOutput('stderr'),
      env: this.#variables(),
      cwd: this.cwd,
      signal: interrupt.signal,
      onInterruptKey: () => interrupt.abort(),
      readRawArguments: () => rawArguments,
      program: [process.execPath, main],
    };
    let finishesOnInterrupt = false;
    const end = loadProgram(args).then(async (invocation) => {
      finishesOnInterrupt = invocation.command?.finishesOnInterrupt === true;
      return { code: await invocation.run(io), ...recorder.output };
    });
    return {
      stdin,
      end,
      errors: () => recorder.output.stderr,
      interrupt() {
        if (!finishesOnInterrupt) throw new Error('Ctrl-C would kill the process.');
        interrupt.abort();
      },
      type: (text) => stdin.write(text),
      output: () => recorder.output.stdout,
      waitForOutput: (text) => recorder.waitFor(text, end),
    };
  }

  #runProcess(args: readonly string[], input: string | Uint8Array): Promise<ProcessResult> {
    const running = this.spawn(process.execPath, [main, ...args]);
    running.process.stdin.end(input);
    return running.end;
  }

  /** Runs `provenance --json`, parses its result and checks it against the documented schema. */
  async json(args: readonly string[], input = ''): Promise<{ code: number | null; result: unknown }> {
    const { code, stdout, stderr } = await this.run([...args, '--json'], input);
    const result = parseJson(stdout, stderr);
    if (!args.includes('--version')) checkOutput(args, result);
    return { code, result };
  }

  /** Runs a line that starts `provenance` in this process; bash runs what needs a shell. */
  async runLine(line: string, extraArguments: readonly string[] = []): Promise<ProcessResult> {
    const parsed = parseCommandLine(line, this.#variables());
    if (parsed?.words[0] !== 'provenance') {
      return this.with({ EXTRA_ARGUMENTS: extraArguments.join(' ') }).shell(line);
    }
    const { words, redirections } = parsed;
    const pathOf = (name: string) => join(this.home, name);
    const input = redirections['<'] === undefined ? '' : await readFile(pathOf(redirections['<']));
    const { code, stdout, stderr } = await this.run([...words.slice(1), ...extraArguments], input);
    if (redirections['>'] !== undefined) await writeFile(pathOf(redirections['>']), stdout);
    if (redirections['2>'] !== undefined) await writeFile(pathOf(redirections['2>']), stderr);
    return {
      code,
      stdout: redirections['>'] === undefined ? stdout : '',
      stderr: redirections['2>'] === undefined ? stderr : '',
    };
  }

  /** Runs a line of bash with pipes. */
  shell(line: string): Promise<ProcessResult> {
    const running = this.spawn('bash', ['-c', line]);
    running.process.stdin.end();
    return running.end;
  }

  /** Starts a line of bash in a terminal, where stdout includes stderr. */
  terminal(line: string): RunningProcess {
    return this.spawn('script', ['-qfec', `stty cols 100; ${line}`, '/dev/null']);
  }

  spawn(command: string, args: readonly string[]): RunningProcess {
    const child = spawn(command, args, { cwd: this.cwd, env: this.#variables() });
    const recorder = new OutputRecorder();
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => recorder.add(name, chunk));
    }
    // A process that ends early leaves input unread.
    child.stdin.on('error', () => {});
    const end = once(child, 'close').then(() => ({ code: child.exitCode, ...recorder.output }));
    return {
      process: child,
      end,
      type: (text) => child.stdin.write(text),
      output: () => recorder.output.stdout,
      waitForOutput: (text) => recorder.waitFor(text, end),
    };
  }

  #variables(): Record<string, string> {
    return {
      PATH: `${join(this.home, '.bin')}:${process.env['PATH'] ?? ''}`,
      HOME: this.home,
      SHELL: '/bin/bash',
      TERM: 'xterm',
      ...this.env,
    };
  }
}

async function loadProgram(args: readonly string[]): Promise<Invocation> {
  const { prepareProgram }: typeof import('../../src/program.js') = await import(programModule);
  return prepareProgram(args);
}

class OutputRecorder {
  readonly output = { stdout: '', stderr: '' };
  readonly #listeners = new Set<() => void>();

  add(name: 'stdout' | 'stderr', text: string): void {
    this.output[name] += text;
    for (const check of this.#listeners) check();
  }

  /** Rejects when the command ends without the text. */
  waitFor(text: string, end: Promise<ProcessResult>): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const check = () => {
        if (!this.output.stdout.includes(text) && !this.output.stderr.includes(text)) return;
        this.#listeners.delete(check);
        resolve();
      };
      this.#listeners.add(check);
      check();
      void end.then(({ stdout, stderr }) => reject(new Error(`ended without '${text}': ${stdout}${stderr}`)), reject);
    });
  }
}

function parseJson(stdout: string, stderr: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`not JSON: ${stdout}${stderr}`);
  }
}

/** Creates the folder of a path, and returns the path. */
async function withParentFolder(path: string): Promise<string> {
  await mkdir(join(path, '..'), { recursive: true });
  return path;
}
