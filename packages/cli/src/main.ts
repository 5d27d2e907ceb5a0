#!/usr/bin/env node
// Entry point of `provenance`: runs the command that the arguments name, and ends the process with its exit code.

import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { errorCode, systemReason } from './errors.js';
import { prepareProgram } from './program.js';
import { readRawArguments } from './rawArguments.js';

/** Exit code by which shells report a process that a signal ended: 128 plus the signal's number. */
const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGPIPE: 141 } as const;
const OUTPUT_FAILED_EXIT_CODE = 3;

// Most functions of c2pa-rs are never called: each is checked when it is compiled, before its first call.
setFlagsFromString('--wasm-lazy-validation');
// Optimizing a function pays off after some hundred files; it takes more time than one file does. The default is 1,800,000.
setFlagsFromString('--wasm-tiering-budget=50000000');

const { stdout, stderr, env } = process;
const interrupt = new AbortController();
const [, main = '', ...argv] = process.argv;
const invocation = prepareProgram(argv);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (!invocation.command?.finishesOnInterrupt || interrupt.signal.aborted) return killBySignal(signal);
    process.exitCode = SIGNAL_EXIT_CODES[signal];
    interrupt.abort();
  });
}

/** process.exit would wait for a pending read. */
function killBySignal(signal: 'SIGINT' | 'SIGTERM'): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

stdout.on('error', (error) => {
  if (errorCode(error) === 'EPIPE') process.exit(SIGNAL_EXIT_CODES.SIGPIPE);
  stderr.write(`provenance: Could not write the output: ${systemReason(error)}.\n`);
  process.exit(OUTPUT_FAILED_EXIT_CODE);
});
// There is no other place to report this to.
stderr.on('error', () => {});

const exitCode = await invocation.run({
  // Most commands do not read it, and to open it takes some milliseconds.
  get stdin() {
    return process.stdin;
  },
  ...{ stdout, stderr, env, cwd: process.cwd(), signal: interrupt.signal, readRawArguments },
  onInterruptKey: () => process.emit('SIGINT', 'SIGINT'),
  program: [process.execPath, resolve(main)],
});
// Writes to pipes are asynchronous: flush both streams before the process ends.
await new Promise((flushed) => stdout.write('', flushed));
await new Promise((flushed) => stderr.write('', flushed));
process.exit(process.exitCode ?? exitCode);
