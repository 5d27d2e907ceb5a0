// A context of a command without a terminal and without input.

import { PassThrough, Writable } from 'node:stream';
import { type Context, createContext } from '../../src/context.js';
import type { ProcessIo } from '../../src/processIo.js';
import type { Settings } from '../../src/settings.js';

export interface TestContextOptions extends Partial<Pick<ProcessIo, 'env' | 'cwd'>> {
  readonly onOutput?: (name: 'stdout' | 'stderr', text: string) => void;
}

export function createTestContext(
  { env = {}, cwd = '/', onOutput }: TestContextOptions,
  readSettings: () => Promise<Settings>,
): Context {
  const openOutput = (name: 'stdout' | 'stderr') =>
    new Writable({
      decodeStrings: false,
      write(chunk, _encoding, onWritten) {
        onOutput?.(name, String(chunk));
        onWritten();
      },
    });
  const io = {
    stdin: new PassThrough().end(),
    stdout: openOutput('stdout'),
    stderr: openOutput('stderr'),
    env,
    cwd,
    signal: new AbortController().signal,
    onInterruptKey: () => {},
    readRawArguments: () => [],
    program: [],
  };
  return createContext(io, undefined, readSettings);
}
