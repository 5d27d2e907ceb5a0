// Runs the built command as users do: as a process, with pipes or in a terminal.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { checkOutput } from './outputChecks.js';

export const main = fileURLToPath(new URL('../../bundle/main.js', import.meta.url));

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

export interface ProcessResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningProcess {
  readonly process: ChildProcessWithoutNullStreams;
  /** Resolves when the text is in the output so far. */
  waitForOutput(text: string): Promise<void>;
  type(text: string): void;
  /** Stdout so far. */
  output(): string;
  readonly end: Promise<ProcessResult>;
}

/** A user's machine: a home folder, which is also the working folder, and environment variables. */
export class Machine {
  private constructor(
    readonly home: string,
    readonly env: Readonly<Record<string, string>>,
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
    return new Machine(this.home, { ...this.env, ...env });
  }

  get config(): string {
    return join(this.home, '.config', 'provenance', 'config.json');
  }

  async file(name: string, content: string | Uint8Array): Promise<string> {
    await writeFile(await withParentFolder(join(this.home, name)), content);
    return name;
  }

  /** Runs `provenance` with pipes. */
  run(args: readonly string[], input: string | Uint8Array = ''): Promise<ProcessResult> {
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
    const child = spawn(command, args, {
      cwd: this.home,
      env: {
        PATH: `${join(this.home, '.bin')}:${process.env['PATH'] ?? ''}`,
        HOME: this.home,
        SHELL: '/bin/bash',
        TERM: 'xterm',
        ...this.env,
      },
    });
    const output = { stdout: '', stderr: '' };
    const listeners = new Set<() => void>();
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        output[name] += chunk;
        for (const check of listeners) check();
      });
    }
    // A process that ends early leaves input unread.
    child.stdin.on('error', () => {});
    const end = once(child, 'close').then(() => ({ code: child.exitCode, ...output }));
    return {
      process: child,
      end,
      type: (text) => child.stdin.write(text),
      output: () => output.stdout,
      waitForOutput: (text) =>
        new Promise<void>((resolve, reject) => {
          const check = () => {
            if (!output.stdout.includes(text) && !output.stderr.includes(text)) return;
            listeners.delete(check);
            resolve();
          };
          listeners.add(check);
          check();
          void end.then(({ stdout, stderr }) => reject(new Error(`ended without '${text}': ${stdout}${stderr}`)));
        }),
    };
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
