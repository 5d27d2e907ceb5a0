// Runs examples of the OpenAPI document as a user would: one program a language, which runs the examples that it is given.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface ExampleRunner {
  /** @returns what the example printed, each as its value */
  run(source: string, env: Readonly<Record<string, string>>): Promise<unknown[]>;
  end(): Promise<void>;
}

/** The source is the path of a module. */
const nodeProgram = `
import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  const { source, env } = JSON.parse(line);
  Object.assign(process.env, env);
  const printed = [];
  console.log = (value) => printed.push(value);
  const result = await import(source).then(() => ({ printed }), (error) => ({ error: String(error) }));
  process.stdout.write(JSON.stringify(result) + '\\n');
}`;

const pythonProgram = `
import json, os, sys, urllib.error
for line in sys.stdin:
    job = json.loads(line)
    os.environ.update(job["env"])
    printed = []
    try:
        exec(job["source"], {"print": lambda value, *more: printed.append(value)})
        result = {"printed": printed}
    except urllib.error.HTTPError as error:
        result = {"error": f"{error.code} {error.read()}"}
    except Exception as error:
        result = {"error": repr(error)}
    print(json.dumps(result), flush=True)`;

const programs = {
  typescript: [process.execPath, '--input-type=module', '--eval', nodeProgram],
  python: ['python3', '-c', pythonProgram],
} as const;

export function startExampleRunner(language: keyof typeof programs): ExampleRunner {
  const [command, ...args] = programs[language];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = readLines(child, child.stdout);
  return {
    async run(source, env) {
      child.stdin.write(`${JSON.stringify({ source, env })}\n`);
      const { value } = await lines.next();
      const result: { printed?: unknown[]; error?: string } = JSON.parse(String(value));
      if (!result.printed) throw new Error(result.error);
      return result.printed;
    },
    async end() {
      const closed = once(child, 'close');
      child.stdin.end();
      await closed;
    },
  };
}

async function* readLines(child: ChildProcess, output: Readable): AsyncGenerator<string, never> {
  for await (const line of createInterface({ input: output })) yield line;
  throw new Error(`the program ended with ${child.exitCode}`);
}
