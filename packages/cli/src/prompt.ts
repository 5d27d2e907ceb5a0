// Questions to the one at the terminal, and answers that come through a pipe instead.

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Context } from './context.js';
import { CommandError } from './errors.js';

/** An answer typed on a terminal; `secret` ones are not shown. */
export async function ask(context: Context, question: string, kind: 'open' | 'secret'): Promise<string> {
  const { stderr } = process;
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const output = kind === 'secret' ? hidden : stderr;
  const reader = createInterface({ input: context.stdin, output, terminal: true });
  // Only now that nothing typed is shown any more.
  if (kind === 'secret') stderr.write(question);
  // While a line is edited, Ctrl-C comes to the editor, which passes it on.
  reader.on('SIGINT', () => {
    reader.removeAllListeners('close').close();
    process.emit('SIGINT', 'SIGINT');
  });
  try {
    return await new Promise<string>((resolve, reject) => {
      reader.once('close', () => reject(new CommandError('CANCELLED', 2, 'Nothing was typed.')));
      reader.question(kind === 'secret' ? '' : question).then(resolve, reject);
    });
  } finally {
    reader.close();
    if (kind === 'secret') stderr.write('\n');
  }
}

/** A password or a token that is longer than this is a file by mistake. */
const MAX_PIPED_CHARACTERS = 64 * 1024;

/** The first line of standard input. */
export async function readLine(context: Context): Promise<string> {
  let received = '';
  for await (const chunk of context.stdin.setEncoding('utf8')) {
    received += String(chunk);
    if (received.length > MAX_PIPED_CHARACTERS) throw new CommandError('WRONG_USE', 2, 'Standard input is too long.');
  }
  return received.split(/\r?\n/, 1)[0] ?? '';
}
