// Reads values that the user types into the terminal, or that a script pipes in.

import type { Context } from './context.js';
import { CommandError, UsageError } from './errors.js';

/** Secret input is not echoed. */
export async function promptUser(context: Context, question: string, kind: 'open' | 'secret'): Promise<string> {
  // Loaded on demand: most commands ask nothing.
  const [{ createInterface }, { Writable }] = await Promise.all([
    import('node:readline/promises'),
    import('node:stream'),
  ]);
  const { stdin, stderr } = context.streams;
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = kind === 'secret' ? hidden : stderr;
  const reader = createInterface({ input: stdin, output, terminal: true });
  // After echo is off, so that input typed early stays hidden.
  if (kind === 'secret') stderr.write(question);
  // readline receives Ctrl-C during input: pass it on to the process.
  reader.on('SIGINT', () => {
    reader.removeAllListeners('close').close();
    context.onInterruptKey();
  });
  try {
    return await new Promise<string>((resolve, reject) => {
      reader.once('close', () => reject(new CommandError('CANCELLED', 2, 'No input.')));
      reader.question(kind === 'secret' ? '' : question).then(resolve, reject);
    });
  } finally {
    reader.close();
    if (kind === 'secret') stderr.write('\n');
  }
}

/** Longer input is a wrong file, not a password or token. */
const MAX_PIPED_CHARACTERS = 64 * 1024;

/** The first line of standard input. */
export async function readLine(context: Context): Promise<string> {
  const [first = ''] = await readLines(context);
  return first;
}

async function readLines(context: Context): Promise<string[]> {
  let received = '';
  for await (const chunk of context.stdin.setEncoding('utf8')) {
    received += String(chunk);
    if (received.length > MAX_PIPED_CHARACTERS) throw new CommandError('WRONG_USE', 2, 'Standard input is too long.');
  }
  return received.split(/\r?\n/);
}

interface Secret {
  /** Name of the secret, as in `Missing password.` */
  readonly name: string;
  /** Variable of the environment, which comes first. */
  readonly variable?: string;
  /** Text of the prompt in a terminal. */
  readonly prompt: string;
  /** Typed twice in a terminal, since a mistake would not be noticed. */
  readonly isNew?: true;
  readonly optional?: true;
}

export type SecretReader = (secret: Secret) => Promise<string>;

/** Secrets are never read from arguments, which other users can see. Without a terminal, each is one line of the input. */
export function createSecretReader(context: Context): SecretReader {
  let piped: Promise<string[]> | undefined;
  return async (secret) => {
    const given = secret.variable && context.env[secret.variable];
    if (given) return given;
    if (context.stdin.isTTY) return promptForSecret(context, secret);
    piped ??= readLines(context);
    const line = (await piped).shift() ?? '';
    if (line === '' && !secret.optional) throw missingSecretError(secret);
    return line;
  };
}

async function promptForSecret(context: Context, { name, prompt, isNew }: Secret): Promise<string> {
  const typed = await promptUser(context, prompt, 'secret');
  if (isNew && typed !== (await promptUser(context, 'Repeat it: ', 'secret'))) {
    throw new CommandError('CANCELLED', 2, `The two entries of the ${name} differ: nothing was changed.`);
  }
  return typed;
}

function missingSecretError({ name, variable }: Secret): UsageError {
  const alternative = variable === undefined ? '' : `set ${variable}, or `;
  return new UsageError(`Missing ${name}: ${alternative}write it to standard input.`);
}
