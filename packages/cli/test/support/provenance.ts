// Runs the built command as people do: as a process, piped or in a terminal.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

const main = fileURLToPath(new URL('../../bundle/main.js', import.meta.url));

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly process: ChildProcessWithoutNullStreams;
  /** Resolves when all that was written, as a terminal shows it, has this in it. */
  shows(text: string): Promise<void>;
  type(text: string): void;
  /** What is on stdout so far. */
  output(): string;
  readonly end: Promise<Ran>;
}

/** Somebody's machine: a home, a folder to work in, and variables. */
export class Machine {
  private constructor(
    readonly home: string,
    readonly env: Readonly<Record<string, string>>,
  ) {}

  static async create(env: Readonly<Record<string, string>> = {}): Promise<Machine> {
    const home = await mkdtemp(join(tmpdir(), 'provenance-cli-'));
    folders.push(home);
    // A folder with nothing else in it, so that `provenance` is found by its name.
    const command = join(home, '.bin', 'provenance');
    await writeFile(await parentOf(command), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
    await chmod(command, 0o755);
    return new Machine(home, env);
  }

  /** The same home with other variables. */
  with(env: Readonly<Record<string, string>>): Machine {
    return new Machine(this.home, { ...this.env, ...env });
  }

  get config(): string {
    return join(this.home, '.config', 'provenance', 'config.json');
  }

  async file(name: string, content: string | Uint8Array): Promise<string> {
    await writeFile(await parentOf(join(this.home, name)), content);
    return name;
  }

  /** With everything piped. */
  run(args: readonly string[], input: string | Uint8Array = ''): Promise<Ran> {
    const running = this.spawn(process.execPath, [main, ...args]);
    running.process.stdin.end(input);
    return running.end;
  }

  /** The answer of `--json`, with the exit code. */
  async json(args: readonly string[], input = ''): Promise<{ code: number | null; answer: unknown }> {
    const { code, stdout, stderr } = await this.run([...args, '--json'], input);
    try {
      return { code, answer: JSON.parse(stdout) };
    } catch {
      throw new Error(`no JSON: ${stdout}${stderr}`);
    }
  }

  /** A line of bash. */
  shell(line: string): Promise<Ran> {
    const running = this.spawn('bash', ['-c', line]);
    running.process.stdin.end();
    return running.end;
  }

  /** A line of bash in a terminal, whose output is stdout and stderr in one. */
  terminal(line: string): Running {
    return this.spawn('script', ['-qfec', `stty cols 100; ${line}`, '/dev/null']);
  }

  spawn(command: string, args: readonly string[]): Running {
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
    const written = { stdout: '', stderr: '' };
    const watchers = new Set<() => void>();
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        written[name] += chunk;
        for (const look of watchers) look();
      });
    }
    // Whoever ends early leaves input unread.
    child.stdin.on('error', () => {});
    const end = once(child, 'close').then(() => ({ code: child.exitCode, ...written }));
    return {
      process: child,
      end,
      type: (text) => child.stdin.write(text),
      output: () => written.stdout,
      shows: (text) =>
        new Promise<void>((resolve, reject) => {
          const look = () => {
            if (!written.stdout.includes(text) && !written.stderr.includes(text)) return;
            watchers.delete(look);
            resolve();
          };
          watchers.add(look);
          look();
          void end.then((ran) => reject(new Error(`ended without '${text}': ${ran.stdout}${ran.stderr}`)));
        }),
    };
  }
}

/** The same path, with the folder that it is in. */
async function parentOf(path: string): Promise<string> {
  await mkdir(join(path, '..'), { recursive: true });
  return path;
}
