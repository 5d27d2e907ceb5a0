#!/usr/bin/env node
// The command: joins it with the process that it runs in, and ends that.

import { root } from './commands/index.js';
import { errorCode, systemReason } from './errors.js';
import { prepare } from './run.js';

/** What shells answer for a process that a signal ended: 128 and the signal's number. */
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGPIPE: 141 } as const;
const COULD_NOT = 3;

const { stdin, stdout, stderr, env } = process;
const stop = new AbortController();
const { command, start } = prepare(root, process.argv.slice(2));

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (!command?.endsByItself || stop.signal.aborted) return endBy(signal);
    process.exitCode = exitCodes[signal];
    stop.abort();
  });
}

/** By the signal itself: process.exit would wait for a read that hangs. */
function endBy(signal: 'SIGINT' | 'SIGTERM'): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

stdout.on('error', (error) => {
  if (errorCode(error) === 'EPIPE') process.exit(exitCodes.SIGPIPE);
  stderr.write(`provenance: the output could not be written: ${systemReason(error)}.\n`);
  process.exit(COULD_NOT);
});
// There is nobody left to tell.
stderr.on('error', () => {});

const exitCode = await start({ stdin, stdout, stderr, env, cwd: process.cwd(), signal: stop.signal });
// What is written into a pipe is not there yet; only then may the process end, whatever else still waits in it.
await new Promise((written) => stdout.write('', written));
await new Promise((written) => stderr.write('', written));
process.exit(process.exitCode ?? exitCode);
