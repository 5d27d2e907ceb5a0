// Runs commands of `provenance-server` in the process of the test.

import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Command, runCommand } from '../../src/commands/command.js';

interface CommandResult {
  readonly code: number;
  /** Standard output. */
  readonly log: string;
  /** Standard error. */
  readonly messages: string;
}

export async function runServerCommand(
  command: Command,
  environment: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<CommandResult> {
  const output = new PassThrough();
  const log = text(output);
  let messages = '';
  const notify = (message: string) => {
    messages += `${message}\n`;
  };
  const listenForStop = () => new AbortController().signal;
  const code = await runCommand(command, args, { environment, output, notify, listenForStop });
  output.end();
  return { code, log: await log, messages };
}
